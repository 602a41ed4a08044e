#!/usr/bin/env python3
"""RESCUE-bench's six tasks a second time, written from the description of its format alone, to compare the program's instances with.

    python3 tests/rescue_rules.py DATA OPTIONS

DATA is a folder of JSON samples or one JSONL file, OPTIONS a JSON object; prints {task: [instance, ...]}.
"""

import json
import math
import re
import sys
from pathlib import Path

NOBODY = ("", "Therapist", "Couple", "Family")
COUPLE = "counterbalance safeguard goal_align track reframe evoke enact join detach repair".split()
FAMILY = "safeguard join track counterbalance enact boundary reframe repair".split()


def trim(value):
    return value.strip() if isinstance(value, str) else ""


def names_in(value):
    return [n for n in map(trim, value if isinstance(value, list) else [value]) if n]


def things(row, key):
    return [t for t in (row.get(key) or []) if isinstance(t, dict)]


def number(value):
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None


class Sample:
    def __init__(self, identity, stem, value):
        self.id, self.stem, self.rows = identity, stem, value["rows"]
        for place, row in enumerate(self.rows, 1):
            row["row_index"] = row.get("row_index") or place
            row["speaker"] = trim(row.get("primary_speaker"))
        named = set()
        for row in self.rows:
            named |= {row["speaker"], *names_in(row.get("target"))}
            for strategy in things(row, "support_strategy"):
                named |= set(names_in(strategy.get("target")))
        self.family = "family_therapy/" in identity or "Family" in named
        self.group_label = "Family" if self.family else "Couple"
        self.participants = names_in(value.get("participants") or [])
        if not self.participants:
            order = []
            for row in self.rows:
                order += [row["speaker"], *names_in(row.get("target"))]
                for strategy in things(row, "support_strategy"):
                    order += names_in(strategy.get("target"))
            self.participants = [n for n in dict.fromkeys(order) if n not in NOBODY]

    def as_label(self, targets):
        left = [n for n in names_in(targets) if n != "Therapist"]
        return None if not left else left[0] if len(left) == 1 else self.group_label

    def support(self, row):
        """First strategy type and target of a therapist row."""
        strategies = things(row, "support_strategy")
        if row["speaker"] != "Therapist" or not strategies or not trim(strategies[0].get("strategy_type")):
            return None
        target = self.as_label(strategies[0].get("target") or []) or self.as_label(row.get("target") or [])
        return (trim(strategies[0]["strategy_type"]), target) if target else None

    def candidates(self):
        lists = [[p] for p in self.participants] + [[self.group_label]]
        for row in self.rows:
            if row["speaker"] == "Therapist":
                lists.append(row.get("target") or [])
                lists += [s.get("target") or [] for s in things(row, "support_strategy")]
        return list(dict.fromkeys(label for label in map(self.as_label, lists) if label)) or ["__empty__"]

    def instance(self, place, identity, **more):
        row = self.rows[place]
        made = {
            "id": identity,
            "sample_id": self.id,
            "group_mode": "family" if self.family else "couple",
            "split_group": self.id.rsplit("/", 1)[0],
            "row": row["row_index"],
            "label": "",
            "intensity": None,
            "viewpoints": [],
            "boundary": "",
            "candidates": [],
            "known_support_target": "",
            "known_emotion": None,
            "context": [],
        }
        assert set(more) <= set(made)
        return {**made, **more}

    def before(self, place, size):
        """Rows before a place, all of them for -1."""
        return [r["row_index"] for r in self.rows[0 if size < 0 else max(0, place - size) : place]]


def evenly(items, k, single):
    n = len(items)
    if n <= k:
        return list(items)
    if k == 1:
        return [items[single(n)]]
    picked = list(dict.fromkeys(round(i * (n - 1) / (k - 1)) for i in range(k)))
    for i in range(n):
        if len(picked) < k and i not in picked:
            picked.append(i)
    return [items[i] for i in sorted(picked)]


def itp(samples, options):
    for s in samples:
        classes = {True: [], False: []}
        for place in range(len(s.rows) - 1):
            if s.rows[place]["speaker"] != "Therapist":
                classes[s.rows[place + 1]["speaker"] == "Therapist"].append(place)
        middle = lambda n: n // 2
        if options.get("max_per_class"):
            classes = {c: evenly(v, options["max_per_class"], middle) for c, v in classes.items()}
        fewest = min(map(len, classes.values()))
        if not fewest:
            continue
        made = [(p, c) for c, places in classes.items() for p in evenly(places, fewest, middle)]
        for place, positive in sorted(made):
            row, following = s.rows[place], s.rows[place + 1]
            boundary = (
                "therapist_entry"
                if positive
                else "same_speaker_continuation"
                if row["speaker"] == following["speaker"]
                else "non_therapist_exchange"
            )
            yield s.instance(
                place,
                f"{s.id}__{'pos' if positive else 'neg'}_after_row{row['row_index']}",
                label="yes" if positive else "no",
                boundary=boundary,
                candidates=["yes", "no"],
                context=s.before(place, options["context_size"]) + [row["row_index"]],
            )


def rpp(samples, options):
    def states(s):
        for place, row in enumerate(s.rows):
            if trim(row.get("relation_cycle_state")) and (options.get("any_speaker") or row["speaker"] == "Therapist"):
                yield place, trim(row["relation_cycle_state"])

    for s in samples:
        closed = sorted({state for other in samples if other.family == s.family for _, state in states(other)})
        for place, state in states(s):
            context = s.before(place, options["context_size"]) + (
                [s.rows[place]["row_index"]] if options.get("include_current") else []
            )
            yield s.instance(
                place, f"{s.stem}__row{s.rows[place]['row_index']}", label=state, candidates=closed, context=context
            )


def stp(samples, options):
    for s in samples:
        for place, row in enumerate(s.rows):
            if found := s.support(row):
                closed = s.candidates()
                yield s.instance(
                    place,
                    f"{s.stem}__row{row['row_index']}",
                    label=found[1],
                    candidates=closed + [found[1]] * (found[1] not in closed),
                    context=s.before(place, options["context_size"]),
                )


def ssp(samples, options):
    for s in samples:
        closed = FAMILY if s.family else COUPLE
        for place, row in enumerate(s.rows):
            found = s.support(row)
            if not found or found[0] not in closed:
                continue
            context = s.before(place, options["context_size"])
            felt = None
            if options.get("known_emotion"):
                whose = s.participants if found[1] == s.group_label else [found[1]]
                for earlier in reversed(s.rows[place - len(context) : place]):
                    fitting = [
                        e
                        for e in things(earlier, "internal_emotion")
                        if trim(e.get("person")) in whose and trim(e.get("emotion_description"))
                    ]
                    if fitting:
                        felt = {
                            "row": earlier["row_index"],
                            "person": trim(fitting[0]["person"]),
                            "emotion": trim(fitting[0]["emotion_description"]),
                            "intensity": number(fitting[0].get("intensity")),
                        }
                        break
            yield s.instance(
                place,
                f"{s.stem}__row{row['row_index']}",
                label=found[0],
                candidates=closed,
                known_support_target=found[1],
                known_emotion=felt,
                context=context,
            )


def er(samples, options):
    for s in samples:
        n, found = len(s.rows), []
        for place, row in enumerate(s.rows):
            if place + 1 <= min(n - 1, math.ceil(0.3 * n)) or row["speaker"] in NOBODY:
                continue
            if len(re.findall(r"(?:[^\W_]|')+", row.get("dialogue_cleaned") or "")) < options.get(
                "min_dialogue_words", 0
            ):
                continue
            for emotion in things(row, "internal_emotion"):
                strength = number(emotion.get("intensity"))
                if (
                    trim(emotion.get("person")) == row["speaker"]
                    and trim(emotion.get("emotion_description"))
                    and strength is not None
                    and 0 <= round(strength) <= 10
                ):
                    found.append(
                        s.instance(
                            place,
                            f"{s.id}__row{row['row_index']}",
                            label=trim(emotion["emotion_description"]),
                            intensity=round(strength),
                            context=s.before(place, options["context_size"]) + [row["row_index"]],
                        )
                    )
                    break
        yield from evenly(found, options.get("max_per_sample", 5), lambda n: 0)


def vp(samples, options):
    for s in samples:
        named, found = [], []
        for row in s.rows:
            named += [row["speaker"], *names_in(row.get("target"))]
            for held in things(row, "viewpoints_attitudes"):
                named += [trim(held.get("source")), trim(held.get("target"))]
        named = [n for n in dict.fromkeys(named) if n not in ("", "Couple", "Family")]
        for place, row in enumerate(s.rows):
            held = [
                {key: trim(v.get(key)) for key in ("source", "target", "viewpoint", "attitude")}
                for v in things(row, "viewpoints_attitudes")
            ]
            held = [v for v in held if v["source"] == row["speaker"] and v["target"] and v["viewpoint"]]
            if held and row["speaker"] not in NOBODY:
                context = s.before(place, options["context_size"]) if options["context_size"] > 0 else []
                found.append(
                    s.instance(
                        place,
                        f"{s.id}__row{row['row_index']}",
                        viewpoints=held,
                        candidates=named,
                        context=context + [row["row_index"]],
                    )
                )
        yield from evenly(found, options.get("max_per_sample", 5), lambda n: 0)


def read(data):
    if data.is_dir():
        files = [p for p in data.rglob("*.json") if p.name != "manifest.json"]
        found = [
            Sample(p.relative_to(data).as_posix()[: -len(".json")], p.stem, json.loads(p.read_text(encoding="utf-8")))
            for p in files
        ]
        return sorted(found, key=lambda s: s.id)
    values = [json.loads(line) for line in data.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Sample(v["sample_id"], Path(v["source_file"]).stem, v) for v in values]


def main():
    samples, options = read(Path(sys.argv[1])), {"context_size": -1, **json.loads(sys.argv[2])}
    json.dump({rule.__name__: list(rule(samples, options)) for rule in (itp, rpp, stp, ssp, er, vp)}, sys.stdout)


if __name__ == "__main__":
    main()
