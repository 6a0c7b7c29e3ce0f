"""XXH64, with which oh-my-pi names its locks. Python's library has none."""

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def rotated(x, n):
    return (x << n | x >> (64 - n)) & MASK


def mixed(lane, word):
    return rotated((lane + word * P2) & MASK, 31) * P1 & MASK


def word(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


def xxh64(data, seed):
    at = 0
    if len(data) >= 32:
        lanes = [(seed + P1 + P2) & MASK, (seed + P2) & MASK, seed, (seed - P1) & MASK]
        for at in range(0, len(data) // 32 * 32, 32):
            lanes = [mixed(lane, word(data, at + 8 * i, 8)) for i, lane in enumerate(lanes)]
        at += 32
        h = sum(rotated(lane, n) for lane, n in zip(lanes, (1, 7, 12, 18))) & MASK
        for lane in lanes:
            h = ((h ^ mixed(0, lane)) * P1 + P4) & MASK
    else:
        h = (seed + P5) & MASK
    h = (h + len(data)) & MASK
    for at in range(at, len(data) - 7, 8):
        h = (rotated(h ^ mixed(0, word(data, at, 8)), 27) * P1 + P4) & MASK
    at = len(data) // 8 * 8
    if len(data) - at >= 4:
        h = (rotated(h ^ word(data, at, 4) * P1 & MASK, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotated(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32
