"""Ways to damage a file. Each takes its bytes and a seeded source of chance, and gives other bytes."""

from random import Random

HEAD = 4096


def place(data: bytes, rng: Random) -> int:
    """Somewhere in the file; half the time in its first 4 KB, where headers are."""
    end = min(len(data), HEAD) if rng.random() < 0.5 else len(data)
    return rng.randrange(max(end, 1))


def length(data: bytes, rng: Random) -> int:
    """From one byte to a third of the file, short ones as likely as long ones."""
    return max(1, int(max(len(data) / 3, 1) ** rng.random()))


def flip_bits(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        if out:
            out[place(data, rng)] ^= 1 << rng.randrange(8)
    return bytes(out)


def set_bytes(data: bytes, rng: Random) -> bytes:
    """A field of 1 to 8 bytes at an extreme value."""
    at, size = place(data, rng), rng.choice([1, 2, 4, 8])
    value = rng.choice([b"\x00", b"\xff", b"\x7f", b"\x80", b"\x01"])
    return data[:at] + value * size + data[at + size :]


def randomise(data: bytes, rng: Random) -> bytes:
    at, size = place(data, rng), length(data, rng)
    return data[:at] + rng.randbytes(len(data[at : at + size])) + data[at + size :]


def zero(data: bytes, rng: Random) -> bytes:
    at, size = place(data, rng), length(data, rng)
    return data[:at] + bytes(len(data[at : at + size])) + data[at + size :]


def truncate(data: bytes, rng: Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def remove(data: bytes, rng: Random) -> bytes:
    at, size = place(data, rng), length(data, rng)
    return data[:at] + data[at + size :]


def duplicate(data: bytes, rng: Random) -> bytes:
    at, size = place(data, rng), length(data, rng)
    return data[: at + size] + data[at:]


def insert(data: bytes, rng: Random) -> bytes:
    at = place(data, rng)
    return data[:at] + rng.randbytes(length(data, rng)) + data[at:]


def lines(change):
    """An operator on the lines of a text."""

    def operator(data: bytes, rng: Random) -> bytes:
        parts = data.splitlines(keepends=True)
        if parts:
            change(parts, rng)
        return b"".join(parts)

    operator.__name__ = change.__name__
    return operator


@lines
def swap_lines(parts: list[bytes], rng: Random) -> None:
    a, b = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[a], parts[b] = parts[b], parts[a]


@lines
def delete_line(parts: list[bytes], rng: Random) -> None:
    del parts[rng.randrange(len(parts))]


@lines
def duplicate_line(parts: list[bytes], rng: Random) -> None:
    parts.insert(rng.randrange(len(parts)), rng.choice(parts))


@lines
def join_lines(parts: list[bytes], rng: Random) -> None:
    at = rng.randrange(len(parts))
    parts[at] = parts[at].rstrip(b"\r\n")


@lines
def lengthen_line(parts: list[bytes], rng: Random) -> None:
    at = rng.randrange(len(parts))
    parts[at] = parts[at].rstrip(b"\r\n") * rng.choice([2, 50, 3000]) + b"\n"


def replace_some(data: bytes, rng: Random, old: bytes, new: bytes) -> bytes:
    """One occurrence, or each, of `old`."""
    places = data.split(old)
    if len(places) == 1:
        return data
    at = rng.randrange(1, len(places))
    return data.replace(old, new) if rng.random() < 0.3 else old.join(places[:at]) + new + old.join(places[at:])


def change_digits(data: bytes, rng: Random) -> bytes:
    out = bytearray(data)
    digits = [i for i, b in enumerate(out) if 48 <= b <= 57]
    for at in rng.sample(digits, min(len(digits), rng.choice([1, 1, 3, 20]))):
        out[at] = rng.choice(b"0123456789-.")
    return bytes(out)


def huge_numbers(data: bytes, rng: Random) -> bytes:
    digits = [i for i, b in enumerate(data) if 48 <= b <= 57]
    number = rng.choice([b"9" * 20, b"1e308", b"1e-320", b"-1", b"NaN", b"inf", b"9" * 400, b"0x10", b"2147483648"])
    at = rng.choice(digits) if digits else 0
    return data[:at] + number + data[at + 1 :]


def change_marks(data: bytes, rng: Random) -> bytes:
    """Quotes, separators, brackets: one kind for another, or for nothing."""
    marks = [
        b'"',
        b"'",
        b",",
        b";",
        b"\t",
        b":",
        b"-->",
        b"<",
        b">",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\n",
        b"\n\n",
        b"_",
        b"|",
        b"*",
        b"=",
    ]
    return replace_some(data, rng, rng.choice(marks), rng.choice([*marks, b""]))


def control_characters(data: bytes, rng: Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    odd = [
        b"\x1b[2J",
        b"\x00",
        b"\x07",
        b"\x0c",
        b"\x85",
        b"\xe2\x80\xae",
        b"\xef\xbb\xbf",
        b"\xc2\x9b",
        b"\x15",
        b"\r",
        b"&#27;",
    ]
    return data[:at] + rng.choice(odd) + data[at:]


def encode(data: bytes, rng: Random) -> bytes:
    text = data.decode("utf-8", errors="replace")
    return text.encode(
        rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-8-sig"]), errors="replace"
    )


def line_ends(data: bytes, rng: Random) -> bytes:
    return data.replace(b"\n", rng.choice([b"\r\n", b"\r", b"\n\n", b"\n\r"]))


# Those that only take away come first: what they take may not go in silence.
LOSSES = [truncate, zero, remove]
OF_BYTES = [*LOSSES, truncate, zero, flip_bits, flip_bits, set_bytes, set_bytes, randomise, duplicate, insert]
OF_LINES = [
    swap_lines,
    delete_line,
    duplicate_line,
    join_lines,
    lengthen_line,
    change_digits,
    change_digits,
    huge_numbers,
    change_marks,
    change_marks,
    control_characters,
    encode,
    line_ends,
]


def mutate(data: bytes, rng: Random, operators: list) -> tuple[bytes, list]:
    """Damages a file by one operator, or by up to three; gives the operators too."""
    chosen = [rng.choice(operators) for _ in range(rng.choice([1, 1, 1, 2, 3]))]
    for operator in chosen:
        data = operator(data, rng)
    return data, chosen
