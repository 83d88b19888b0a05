#!/usr/bin/env bash
# Puts a real bitcoind and bitcoin-cli under DIR/bin (default: target/bitcoind) for the real-node tests.
#
# It is Debian sid's `bitcoin-knots`, which speaks Bitcoin Core's RPC. Nothing is installed on the system and no
# root is needed: the package and sid's own C library are unpacked below DIR and started through sid's loader,
# because the binary needs a newer libstdc++ than Debian stable has. apt checks every signature.
set -euo pipefail

dir=${1:-target/bitcoind}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
if [ -x "$dir/bin/bitcoind" ] && "$dir/bin/bitcoind" --version >/dev/null 2>&1; then
  echo "bitcoind is there: $dir/bin/bitcoind"
  exit 0
fi

case $(dpkg --print-architecture) in
  amd64) loader=ld-linux-x86-64.so.2 libs=x86_64-linux-gnu ;;
  arm64) loader=ld-linux-aarch64.so.1 libs=aarch64-linux-gnu ;;
  *) echo "no bitcoind for $(dpkg --print-architecture) here" >&2; exit 1 ;;
esac
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 -E '/debian/?$')}
[ -n "$mirror" ] || { echo "this machine has no Debian mirror; set DEBIAN_MIRROR" >&2; exit 1; }

# A private apt with an empty package database, so that every library comes along.
apt=$dir/apt
rm -rf "$apt" "$dir/root"
mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/log" "$apt/etc/apt/apt.conf.d" "$dir/root" "$dir/bin"
: > "$apt/status"
echo "deb [signed-by=$keyring] $mirror sid main" > "$apt/sources.list"
cat > "$apt/apt.conf" <<CONF
Dir "$apt";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$apt/lists";
Dir::State::Status "$apt/status";
Dir::Cache::Archives "$apt/archives";
Dir::Log "$apt/log";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::Check-Valid-Until "false";
Debug::NoLocking "true";
CONF
export APT_CONFIG=$apt/apt.conf
apt-get -qq update

# Only the libraries: the service scripts' dependencies are not needed to run the program.
mapfile -t needed < <(apt-cache depends bitcoin-knots | sed -n 's/^ *|\?Depends: \(lib[^ <]*\)$/\1/p' | sort -u)
apt-get -qq -y --download-only install "${needed[@]}"
(cd "$apt/archives" && apt-get -qq download bitcoin-knots)
for package in "$apt"/archives/*.deb; do dpkg-deb -x "$package" "$dir/root"; done
rm -rf "$apt"

lib=$dir/root/usr/lib/$libs
[ -x "$lib/$loader" ] || { echo "the unpacked C library has no $loader" >&2; exit 1; }
for program in bitcoind bitcoin-cli; do
  cat > "$dir/bin/$program" <<RUN
#!/bin/sh
exec '$lib/$loader' --argv0 $program --library-path '$lib' '$dir/root/usr/bin/$program' "\$@"
RUN
  chmod +x "$dir/bin/$program"
done
"$dir/bin/bitcoind" --version | head -n 1
