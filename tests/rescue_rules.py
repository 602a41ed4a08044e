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
            row["row_index"] = place
            row["speaker"] = trim(row.get("primary_speaker"))
        named = set()
        for row in self.rows:
            named |= {row["speaker"], *names_in(row.get("target"))}
            for strategy in things(row, "support_strategy"):
                named |= set(names_in(strategy.get("target")))
        place = identity.lower()
        in_folder = place.startswith("family_therapy/") or "/family_therapy/" in place
        self.family = in_folder or "Family" in named
        self.group_label = "Family" if self.family else "Couple"
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
            "closed_set": "",
            "known_support_target": "",
            "known_emotions": [],
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


def has_clip(s, row, options):
    """Rows by sample that have a clip, where rows are shown as clips."""
    return "clips" not in options or row in options["clips"].get(s.id, [])


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
                context=decision_context(s, place, options["context_size"]),
            )


def decision_context(s, place, size):
    """The decision's row is one of so many, and there even when none is asked for."""
    rows = [r["row_index"] for r in s.rows[: place + 1]]
    return rows if size < 0 else rows[-max(size, 1) :]


def rpp(samples, options):
    def states(s):
        for place, row in enumerate(s.rows):
            if trim(row.get("relation_cycle_state")) and (options.get("any_speaker") or row["speaker"] == "Therapist"):
                yield place, trim(row["relation_cycle_state"])

    for s in samples:
        seen = sorted({state for other in samples if other.family == s.family for _, state in states(other)})
        named = options.get("taxonomy", {}).get("family" if s.family else "couple", [])
        closed = named or seen
        for place, state in states(s):
            context = s.before(place, options["context_size"]) + (
                [s.rows[place]["row_index"]] if options.get("include_current") else []
            )
            yield s.instance(
                place,
                f"{s.stem}__row{s.rows[place]['row_index']}",
                label=state,
                candidates=closed,
                closed_set="task_file" if named else "labels_seen",
                context=context,
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
            if not any(has_clip(s, r, options) for r in context) and "clips" in options:
                continue
            felt = []
            if options.get("known_emotion"):
                whose = s.participants if found[1] == s.group_label else [found[1]]
                for earlier in reversed(s.rows[place - len(context) : place]):
                    for e in things(earlier, "internal_emotion"):
                        person = trim(e.get("person")) or earlier["speaker"]
                        if person in whose and trim(e.get("emotion_description")):
                            strength = number(e.get("intensity"))
                            felt.append(
                                {
                                    "row": earlier["row_index"],
                                    "person": person,
                                    "emotion": trim(e["emotion_description"]),
                                    "intensity": None if strength is None else float(round(strength)),
                                }
                            )
                    if felt:
                        break
            yield s.instance(
                place,
                f"{s.stem}__row{row['row_index']}",
                label=found[0],
                candidates=closed,
                known_support_target=found[1],
                known_emotions=felt,
                context=context,
            )


def er(samples, options):
    for s in samples:
        n, found = len(s.rows), []
        for place, row in enumerate(s.rows):
            if place + 1 <= min(n - 1, math.ceil(0.3 * n)) or row["speaker"] in NOBODY:
                continue
            if len(re.findall(r"[A-Za-z0-9']+", row.get("dialogue_cleaned") or "")) < options["min_dialogue_words"]:
                continue
            if not has_clip(s, place + 1, options):
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
            if held and row["speaker"] not in NOBODY and has_clip(s, place + 1, options):
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
    return [Sample(v["sample_id"], v["sample_id"].rsplit("/", 1)[-1], v) for v in values]


def main():
    samples, told = read(Path(sys.argv[1])), json.loads(sys.argv[2])
    made = {}
    for rule in (itp, rpp, stp, ssp, er, vp):
        options = {"context_size": -1 if rule is rpp else 3, "min_dialogue_words": 5, **told}
        made[rule.__name__] = list(rule(samples, options))
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
