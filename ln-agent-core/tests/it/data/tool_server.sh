#!/bin/sh
# An MCP server with bad manners: the name of the tool says what it does wrong.
late=
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  answer() {
    printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[],"structuredContent":{"ok":true,"payload":"%s"}}}\n' "$1" "$2"
  }
  case $line in
  *'"method":"initialize"'*)
    printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"rude","version":"1"}}}\n' "$id"
    ;;
  *'"name":"pid"'*) answer "$id" $$ ;;
  *'"name":"die"'*) kill -9 $$ ;;
  *'"name":"flood"'*)
    # More than any pipe holds, in one line that is no UTF-8 text, and in many.
    head -c 300000 /dev/zero | tr '\0' '\377' >&2
    yes 'a line of complaint' | head -n 20000 >&2
    answer "$id" flooded
    ;;
  *'"name":"late"'*) late=$id ;;
  *'"name":"next"'*)
    [ -n "$late" ] && answer "$late" late
    answer "$id" next
    ;;
  *'"method":"server/discover"'*)
    printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\n' "$id"
    ;;
  esac
done
