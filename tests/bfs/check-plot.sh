#!/bin/sh
# check-plot.sh - plot-bfs on recorded lines: both plots are XML, with a curve and a name for each variant, whose points are where the axis puts the
# medians of the recorded figures; lines that are none end with a message and exit code 2.

plot=${srcdir:-.}/examples/bfs/plot-bfs
recorded=${srcdir:-.}/tests/bfs/recorded.json
python3 -c 'import xml.dom.minidom' 2>/dev/null || {
  echo "SKIP: no python3"
  exit 77
}
scratch=check-plot.$$
failed=0
mkdir "$scratch" || exit 1
trap 'rm -rf "$scratch"' EXIT

fault() {
  echo "fails: $*"
  failed=$((failed + 1))
}

cat >"$scratch/compare.py" <<'END'
import json, re, statistics, sys
import xml.dom.minidom

kind, recorded, picture = sys.argv[1:]
summaries = [line for line in map(json.loads, open(recorded)) if line["kind"] == "summary"]
rates = {}
for line in summaries:
    rates.setdefault((line["algorithm"], line["threads"]), {}).setdefault(line["scale"], []).append(line["gteps_harmonic"])
expected = {}
for (algorithm, threads), points in rates.items():
    name = "%s, %d thread%s" % (algorithm, threads, "" if threads == 1 else "s")
    expected[name] = {scale: statistics.median(numbers) for scale, numbers in points.items()}
if kind == "speedup":
    base = dict(expected["queue, 1 thread"])
    for points in expected.values():
        for scale in points:
            points[scale] /= base[scale]

document = xml.dom.minidom.parse(picture)
text_of = lambda node: "".join(child.data for child in node.childNodes)
number = re.compile(r"^[0-9.e+-]+$")
height, across = {}, {}  # what the axes say: value at each place
groups = document.getElementsByTagName("g")
in_groups = [text for group in groups for text in group.getElementsByTagName("text")]
for text in document.getElementsByTagName("text"):
    if text in in_groups or not number.match(text_of(text)):
        continue
    if text.getAttribute("text-anchor") == "end":
        height[float(text_of(text))] = float(text.getAttribute("y")) - 4
    else:
        across[int(text_of(text))] = float(text.getAttribute("x"))
top, zero = height[max(height)], height[0.]
assert top > 0 and len(height) >= 3 and sorted(across) == sorted({line["scale"] for line in summaries}), (height, across)
assert max(height) >= max(max(points.values()) for points in expected.values())
found = {}
for group in groups:
    circles = [(float(c.getAttribute("cx")), float(c.getAttribute("cy"))) for c in group.getElementsByTagName("circle")]
    line = [tuple(map(float, point.split(","))) for point in
            group.getElementsByTagName("polyline")[0].getAttribute("points").split()]
    assert circles == line, (circles, line)
    at = lambda x: min(across, key=lambda scale: abs(across[scale] - x))
    found[text_of(group.getElementsByTagName("text")[0])] = {at(x): (zero - y) / (zero - top) * max(height) for x, y in circles}
assert sorted(found) == sorted(expected), (sorted(found), sorted(expected))
for name, points in expected.items():
    for scale, rate in points.items():
        assert abs(found[name][scale] - rate) < .004 * max(height), (name, scale, rate, found[name][scale])
END

for kind in rates speedup; do
  python3 "$plot" "$kind" "$recorded" >"$scratch/$kind.svg" || fault "$kind: exit code $?"
  python3 "$scratch/compare.py" "$kind" "$recorded" "$scratch/$kind.svg" || fault "$kind: another picture"
done
python3 "$plot" rates --title 'a < b & c' "$recorded" >"$scratch/title.svg" &&
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$scratch/title.svg" &&
  grep -q 'a &lt; b &amp; c' "$scratch/title.svg" || fault "a title with signs of XML"

# bad PART ARGUMENTS: exit code 2, and a message of one line with PART.
bad() {
  part=$1
  shift
  python3 "$plot" "$@" >"$scratch/out" 2>"$scratch/errors"
  code=$?
  [ "$code" -eq 2 ] && grep -q -e "$part" "$scratch/errors" && [ ! -s "$scratch/out" ] || {
    fault "exit code $code, or no '$part': $*"
    head -n 5 "$scratch/errors"
  }
}
first=$(head -n 1 "$recorded")
printf '%s\n{"program":\n' "$first" >"$scratch/cut"
printf '%s\n{"program":"sor"}\n' "$first" >"$scratch/other"
printf '%s\n' "$first" | sed 's/"threads":1/"threads":"1"/' >"$scratch/words"
printf '%s\n' "$first" | sed 's/"gteps_harmonic":[^,}]*/"gteps_harmonic":-1/' >"$scratch/negative"
: >"$scratch/empty"
bad "cut:2: no JSON" rates "$scratch/cut"
bad "other:2: another kind of line" rates "$scratch/other"
bad "words:1: threads is '1'" rates "$scratch/words"
bad "negative:1: gteps_harmonic is -1" rates "$scratch/negative"
bad "no summary" rates "$scratch/empty"
bad "no-such-file" rates "$scratch/no-such-file"
bad "no summary of 'other'" speedup --baseline other "$recorded"
bad "invalid choice" lines "$recorded"

if [ "$failed" -gt 0 ]; then
  echo "FAIL: $failed faults"
  exit 1
fi
echo "plots and messages are right"
