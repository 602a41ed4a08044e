#!/usr/bin/env python3
"""Makes the small invented corpus of the example tasks: sessions of two people as transcripts without media, and labels of
several kinds.

Nobody said any of it. In the labels lies a little of what the transcripts show, the rest is chance: who holds the floor is rated more
dominant and leads more often, longer turns are more trusting and more tense, short ones warmer, sessions with longer silences lower. Run it again and the bytes are the same.
"""

import csv
import random
from pathlib import Path

HERE = Path(__file__).parent
PAIRS = [
    ("Ann", "Bo"),
    ("Cleo", "Dan"),
    ("Eve", "Finn"),
    ("Gia", "Hal"),
    ("Ida", "Jon"),
    ("Kim", "Lev"),
    ("Mia", "Ned"),
    ("Ola", "Pim"),
]
WORDS = "the kettle was blue and nobody asked about lanterns because rain keeps falling on our garden wall".split()


def write(name, header, rows):
    with (HERE / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def slide(rng, session, people, turns):
    """Sliders of two raters, who move them two seconds after a turn begins, give or take: tension, and the warmth of each towards the other."""
    tension, warmth = [], []
    both = (people, people[::-1])
    for rater in ("R1", "R2"):
        kind = dict.fromkeys(people, 5.0)
        tension.append((session, rater, "0.00", "3.0"))
        warmth += [(session, rater, source, target, "0.00", "5.0") for source, target in both]
        for start, end, speaker, _ in turns:
            length = float(end) - float(start)
            moved = float(start) + 2 + rng.uniform(-0.15, 0.15)
            tension.append((session, rater, f"{moved:.2f}", f"{1 + length / 2 + rng.gauss(0, 0.4):.1f}"))
            kind[speaker] = min(9.0, max(1.0, 8 - length + rng.gauss(0, 0.4)))
            target = people[1 - people.index(speaker)]
            warmth.append((session, rater, speaker, target, f"{moved:.2f}", f"{kind[speaker]:.1f}"))
        last = f"{float(turns[-1][1]) + 4:.2f}"
        tension.append((session, rater, last, "3.0"))
        warmth += [(session, rater, source, target, last, f"{kind[source]:.1f}") for source, target in both]
    return tension, warmth


def main():
    rng = random.Random(8)
    corpus, dominance, trust, alliance = [], [], [], []
    tension, warmth, leading = [], [], []
    # Of what was added later, so that the rest stays as it was.
    later = random.Random(9)
    (HERE / "transcripts").mkdir(exist_ok=True)
    for number in range(24):
        one, other = PAIRS[number // 3]
        session, pair = (
            f"{one.lower()}_and_{other.lower()}/session_{number % 3 + 1}",
            f"{one.lower()}_and_{other.lower()}",
        )
        talk, pause = rng.uniform(0.5, 2), rng.uniform(0.1, 2)
        time, turns, held = 0.0, [], {one: 0.0, other: 0.0}
        for turn in range(1, 15):
            speaker = (one, other)[turn % 2]
            length = rng.uniform(1, 6) * (talk if speaker == one else 1 / talk)
            said = rng.choices(WORDS, k=max(1, round(2.5 * length)))
            turns.append((f"{time:.2f}", f"{time + length:.2f}", speaker, " ".join(said)))
            held[speaker] += length
            trust.append(
                (session, turn, ("low", "middle", "high")[min(2, max(0, round(length / 3 - 0.5 + rng.gauss(0, 0.4))))])
            )
            time += length + rng.uniform(0, 2) * pause
        name = f"transcripts/{pair}_{number % 3 + 1}.csv"
        write(name, ("start_time", "end_time", "speaker", "text"), turns)
        corpus.append((session, "", name))
        for source, target in ((one, other), (other, one)):
            share = held[source] / sum(held.values())
            dominance.append((session, source, target, min(5, max(1, round(1 + 4 * share + rng.gauss(0, 0.5)))), pair))
        rated = slide(later, session, (one, other), turns)
        tension += rated[0]
        warmth += rated[1]
        leads = one if held[one] + later.gauss(0, 6) > held[other] else other
        leading.append((session, one, other, leads, pair))
        alliance.append((session, f"{6 - 1.2 * pause + rng.gauss(0, 0.4):.1f}", pair))
    write("corpus.csv", ("interview_id", "media", "transcript"), corpus)
    write("dominance.csv", ("interview_id", "source", "target", "dominance", "pair"), dominance)
    write("trust.csv", ("interview_id", "turn_index", "trust"), trust)
    write("tension.csv", ("interview_id", "rater", "time_secs", "tension"), tension)
    write("warmth.csv", ("interview_id", "rater", "source", "target", "time_secs", "warmth"), warmth)
    write("leading.csv", ("interview_id", "first", "second", "leading", "pair"), leading)
    write("alliance.csv", ("interview_id", "alliance", "pair"), alliance)


if __name__ == "__main__":
    main()
