#!/usr/bin/env python3
"""The metric rules of RESCUE-bench's scripts a second time, written from the description of its format alone, to compare the program's
figures with.

    python3 tests/rescue_metrics.py CASES

CASES is a JSON list of {"task", "rows", "replies"}: instances with what is right, and replies as models write them. Prints for each
{part: {metric: value or null}}.
"""

import json
import sys
from collections import Counter
from pathlib import Path

LISTS = {"rpp": "relation_top3", "stp": "target_top3", "ssp": "strategy_top3"}
IDS = {"itp": "candidate_id", "rpp": "turn_id", "stp": "turn_id", "ssp": "turn_id", "er": "checkpoint_id", "vp": "checkpoint_id"}


def trim(value):
    return value.strip() if isinstance(value, str) else ""


def share(a, b):
    return a / b if b else 0.0


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def tokens(text):
    found, run = [], ""
    for c in text.lower():
        unspaced = "\u4e00" <= c <= "\u9fff"
        if (c.isalnum() or c == "'") and not unspaced:
            run += c
            continue
        found += [run] if run else []
        found += [c] if unspaced else []
        run = ""
    return found + ([run] if run else [])


def token_f1(gold, said):
    a, b = tokens(gold), tokens(said)
    if not a and not b:
        return 1.0
    return 2 * sum((Counter(a) & Counter(b)).values()) / (len(a) + len(b))


def chrf(gold, said):
    a, b = "".join(gold.split()), "".join(said.split())
    if not a and not b:
        return 1.0
    each = []
    for n in range(1, 7):
        x = Counter(a[i : i + n] for i in range(len(a) - n + 1))
        y = Counter(b[i : i + n] for i in range(len(b) - n + 1))
        if x and y:
            both = sum((x & y).values())
            each.append((both / sum(y.values()), both / sum(x.values())))
    if not each:
        return 0.0
    p, r = (sum(e[i] for e in each) / len(each) for i in (0, 1))
    return 5 * p * r / (4 * p + r) if p + r else 0.0


def in_set(closed, names):
    """Names of the closed set, each once, in their order."""
    found = []
    for name in map(trim, names):
        near = [c for c in closed if c.lower() == name.lower()]
        hit = name if name in closed else near[0] if len(near) == 1 else None
        if hit is not None and hit not in found:
            found.append(hit)
    return found


def of_ranks(pairs):
    """Label and list of three at most."""
    place = [top.index(label) + 1 if label in top else None for label, top in pairs]
    return {
        **{f"recall_at_{k}": mean(r is not None and r <= k for r in place) for k in (1, 2, 3)},
        "mrr": mean(1 / r if r else 0.0 for r in place),
    }


def of_class(name, pairs):
    right = sum(a == b == name for a, b in pairs)
    said, gold = sum(b == name for _, b in pairs), sum(a == name for a, _ in pairs)
    return share(right, said), share(right, gold), share(2 * right, said + gold)


def closed_set(rows):
    return list(dict.fromkeys(c for row in rows for c in row["candidates"]))


def itp(rows, said):
    closed = closed_set(rows)
    first = [next(iter(in_set(closed, [s.get("should_speak", "")])), None) for s in said]
    pairs = [(row["label"], one) for row, one in zip(rows, first)]
    found = {}
    for name in closed:
        for metric, value in zip(("precision", "recall", "f1"), of_class(name, pairs)):
            found[f"{metric}_{name}"] = value
    labels = [c for c in closed if any(a == c for a, _ in pairs)]
    seen = [c for c in closed if any(c in pair for pair in pairs)]
    found["accuracy"] = mean(a == b for a, b in pairs)
    found["balanced_accuracy"] = mean(of_class(c, pairs)[1] for c in labels)
    found["macro_f1"] = mean(of_class(c, pairs)[2] for c in seen)
    return found


def ranking(task, rows, said, closed):
    lists = []
    for row, one in zip(rows, said):
        own = closed or row["candidates"]
        top = in_set(own, one.get(LISTS[task]) or [])
        if task == "rpp" and isinstance(one.get(LISTS[task]), list):
            top += [c for c in own if c not in top]
        lists.append(top[:3])
    pairs = [(row["label"], top) for row, top in zip(rows, lists)]
    found = of_ranks(pairs)
    if closed:
        firsts = [(label, top[0] if top else None) for label, top in pairs]
        each = [of_class(c, firsts) for c in closed]
        for i, name in enumerate(("macro_precision", "macro_recall", "macro_f1")):
            found[name] = mean(e[i] for e in each)
    return found


def number(value):
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def er(rows, said):
    pairs = [(row["value"], number(one.get("predicted_intensity_score"))) for row, one in zip(rows, said)]
    told = [(a, b) for a, b in pairs if b is not None]
    level = lambda x: min(max(round(x), 0), 10)
    seen = sum((level(a) - level(b)) ** 2 for a, b in told)
    by_chance = sum((level(a) - level(b)) ** 2 for a, _ in told for _, b in told) / max(len(told), 1)
    return {
        "intensity_match": mean(max(1.0, 5 - abs(a - b)) if b is not None else 1.0 for a, b in pairs),
        "mae": mean(abs(a - b) for a, b in told),
        "qwk": 1 - seen / by_chance if by_chance else None,
    }


def er_texts(rows, said):
    texts = [trim(one.get("predicted_internal_emotion")) for one in said]
    answered = [bool(one) for one in said]
    each = [
        (token_f1(row["label"], t), chrf(row["label"], t)) if there else (0.0, 0.0)
        for row, t, there in zip(rows, texts, answered)
    ]
    return {"text_token_f1": mean(e[0] for e in each), "text_chrf": mean(e[1] for e in each)}


def pair(view, row):
    return trim(view.get("source")) or row["speaker"], trim(view.get("target"))


def views_of(one):
    return one.get("predicted_viewpoints") or []


def vp(rows, said):
    scores, hits, answered, gold = [], 0, 0, 0
    for row, one in zip(rows, said):
        right = {pair(v, row) for v in row["views"]}
        given = {pair(v, row) for v in views_of(one) if trim(v.get("target"))}
        hits, answered, gold = hits + len(right & given), answered + len(given), gold + len(right)
        scores.append(2.0 if right == given else 1.0 if right & given else 0.0)
    return {
        "pairs_score": mean(scores),
        "pairs_precision": share(hits, answered),
        "pairs_recall": share(hits, gold),
        "pairs_f1": share(2 * hits, answered + gold),
    }


def vp_texts(rows, said):
    sums = [0.0] * 4
    for row, one in zip(rows, said):
        for right in row["views"]:
            same = [v for v in views_of(one) if pair(v, row) == pair(right, row)]
            if same:
                best = max(same, key=lambda v: token_f1(right["viewpoint"], trim(v.get("viewpoint"))))
                for i, (key, measure) in enumerate([(k, m) for k in ("viewpoint", "attitude") for m in (token_f1, chrf)]):
                    sums[i] += measure(right[key], trim(best.get(key))) / len(row["views"])
    names = ("viewpoint_token_f1", "viewpoint_chrf", "attitude_token_f1", "attitude_chrf")
    return {name: s / len(rows) for name, s in zip(names, sums)}


def case(made):
    task, rows = made["task"], made["rows"]
    first = {}
    for reply in made["replies"]:
        for item in reply["predictions"]:
            first.setdefault((reply["sample_id"], item[IDS[task]]), item)
    said = [first.get((row["sample"], row["id"]), {}) for row in rows]
    # A reply with nothing in it is none.
    empty = lambda one: not any(v not in (None, "") for k, v in one.items() if k not in IDS.values())
    said = [{} if empty(one) else one for one in said]
    modes = sorted({row["group"] for row in rows})

    def of(kept, closed=False):
        own = [(row, one) for row, one in zip(rows, said) if row["group"] in kept]
        own_rows, own_said = [r for r, _ in own], [s for _, s in own]
        if task in LISTS:
            return ranking(task, own_rows, own_said, closed_set(own_rows) if closed else None)
        found = {"itp": itp, "er": er, "vp": vp}[task](own_rows, own_said)
        if task == "er" and any(trim(s.get("predicted_internal_emotion")) for s in said):
            found |= er_texts(own_rows, own_said)
        if task == "vp" and any(trim(v.get("viewpoint")) for s in said for v in views_of(s)):
            found |= vp_texts(own_rows, own_said)
        return found

    if task in ("rpp", "ssp"):
        found = {mode: of([mode], True) for mode in modes}
        return found | ({"all": of(modes)} if len(modes) > 1 else {})
    return {"all": of(modes)} | ({mode: of([mode]) for mode in modes} if len(modes) > 1 else {})


if __name__ == "__main__":
    json.dump([case(c) for c in json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))], sys.stdout)
