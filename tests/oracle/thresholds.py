#!/usr/bin/env python3
"""Second implementation of the threshold methods, from the definitions, for tests/threshold.c.

Reads lines `METHOD:CLASSES COUNT COUNT ...` and answers each with the level bins that the definition
allows, or `none`; multi-otsu with its CLASSES - 1 levels. Several bins are allowed where the criterion
differs by less than rounding errors explain. Means and shares are exact fractions; only logarithms and
roots are floating point.
"""
import math
import sys
from fractions import Fraction

TOLERANCE = 1e-9


def mean(c, lo, hi):
    return Fraction(sum(i * c[i] for i in range(lo, hi + 1)), sum(c[lo:hi + 1]))


def splits(c):
    """Every k that leaves samples on both sides."""
    return [k for k in range(len(c) - 1) if sum(c[:k + 1]) and sum(c[k + 1:])]


def least(c, cost):
    costs = {k: cost(k) for k in splits(c)}
    bound = min(costs.values())
    slack = TOLERANCE * (1 + max(abs(float(v)) for v in costs.values()))
    return [k for k in costs if costs[k] - bound <= slack]


def lowest(c, cost):
    """The lowest exact minimum (costs are fractions)."""
    costs = {k: cost(k) for k in splits(c)}
    return [min(costs, key=lambda k: (costs[k], k))]


def shares(c, lo, hi):
    n = sum(c[lo:hi + 1])
    return [v / n for v in c[lo:hi + 1] if v]


def otsu(c):
    def cost(k):
        n1, n2 = sum(c[:k + 1]), sum(c[k + 1:])
        d = mean(c, 0, k) - mean(c, k + 1, len(c) - 1)
        return -(n1 * n2 * d * d)
    return lowest(c, cost)


def multi_otsu(c, classes):
    """All ways to cut, by dynamic programming in exact fractions; the lowest levels of equal sums."""
    used = [i for i, v in enumerate(c) if v]
    n, s = [0], [0]
    for i in used:
        n.append(n[-1] + c[i])
        s.append(s[-1] + c[i] * i)

    def score(a, b):
        return Fraction((s[b] - s[a]) ** 2, n[b] - n[a])
    best = {b: (score(0, b), ()) for b in range(1, len(used) + 1)}
    for j in range(1, classes):
        best = {b: max(((best[a][0] + score(a, b), best[a][1] + (used[a - 1],))
                        for a in range(j, b)), key=lambda t: (t[0], [-v for v in t[1]]))
                for b in range(j + 1, len(used) + 1)}
    return list(best[len(used)][1]) if len(used) in best else []


def mean_level(c):
    return [math.floor(mean(c, 0, len(c) - 1))]


def isodata(c):
    ends = len(c) - 1
    return [next(k for k in splits(c)
                 if k == math.floor((mean(c, 0, k) + mean(c, k + 1, ends)) / 2))]


def default(c):
    inner = list(c)
    inner[0] = inner[-1] = 0
    if sum(v > 0 for v in inner) < 2:
        inner = list(c)
    used = [i for i, v in enumerate(inner) if v]
    k = used[0]
    while True:
        middle = (mean(inner, 0, k) + mean(inner, k + 1, len(c) - 1)) / 2
        k += 1
        if k + 1 > middle or k >= used[-1] - 1:
            return [math.floor(middle + Fraction(1, 2))]


def li(c):
    def part(lo, hi):
        first = sum(i * c[i] for i in range(lo, hi + 1))
        return first * math.log(mean(c, lo, hi)) if first else 0
    # Cross entropy without the terms that no level changes.
    return least(c, lambda k: -part(0, k) - part(k + 1, len(c) - 1))


def min_error(c):
    total = sum(c)

    def part(lo, hi):
        n = sum(c[lo:hi + 1])
        m = mean(c, lo, hi)
        variance = sum(c[i] * (i - m) ** 2 for i in range(lo, hi + 1)) / n + Fraction(1, 12)
        p = n / total
        return 2 * p * (math.log(math.sqrt(variance)) - math.log(p))
    return least(c, lambda k: 1 + part(0, k) + part(k + 1, len(c) - 1))


def huang(c):
    used = [i for i, v in enumerate(c) if v]
    width = used[-1] - used[0]

    def shannon(u):
        return -u * math.log(u) - (1 - u) * math.log(1 - u) if 0 < u < 1 else 0

    def part(lo, hi):
        m = math.floor(mean(c, lo, hi) + Fraction(1, 2))
        return sum(c[i] * shannon(1 / (1 + abs(i - m) / width)) for i in range(lo, hi + 1))
    return least(c, lambda k: part(0, k) + part(k + 1, len(c) - 1))


def nearest(c, share):
    total = sum(c)
    used = [i for i, v in enumerate(c) if v]
    costs = {k: abs(sum(c[:k + 1]) / total - share) for k in range(used[0], used[-1])}
    bound = min(costs.values())
    near = [k for k in costs if costs[k] - bound <= TOLERANCE]
    # Bins without samples repeat the share below them: never the lowest.
    return [k for k in near if c[k]]


def percentile(c):
    return nearest(c, 0.5)


def moments(c):
    n = sum(c)
    m1, m2, m3 = (Fraction(sum(i ** p * v for i, v in enumerate(c)), n) for p in (1, 2, 3))
    # z0 and z1 solve z^2 + c1 z + c0 = 0, where c0 + c1 m1 = -m2 and c0 m1 + c1 m2 = -m3.
    d = m2 - m1 * m1
    c0, c1 = (m1 * m3 - m2 * m2) / d, (m1 * m2 - m3) / d
    root = math.sqrt(c1 * c1 - 4 * c0)
    z0, z1 = (-float(c1) - root) / 2, (-float(c1) + root) / 2
    return nearest(c, (z1 - float(m1)) / (z1 - z0))


def entropy(p):
    return -sum(v * math.log(v) for v in p)


def max_entropy(c):
    return least(c, lambda k: -entropy(shares(c, 0, k)) - entropy(shares(c, k + 1, len(c) - 1)))


def renyi(c, order):
    def part(lo, hi):
        return math.log(sum(p ** order for p in shares(c, lo, hi))) / (1 - order)
    return least(c, lambda k: -part(0, k) - part(k + 1, len(c) - 1))


def renyi_entropy(c):
    total = sum(c)
    answers = set()
    for a in renyi(c, 0.5):
        for b in max_entropy(c):
            for d in renyi(c, 2):
                t = sorted((a, b, d))
                near = [t[i + 1] - t[i] <= 5 * len(c) / 256 for i in (0, 1)]
                weight = (1, 2, 1) if near[0] == near[1] else (0, 1, 3) if near[0] else (3, 1, 0)
                p = [Fraction(sum(c[:k + 1]), total) for k in t]
                w = p[2] - p[0]
                level = (t[0] * (p[0] + w * weight[0] / 4) + t[1] * w * weight[1] / 4
                         + t[2] * (1 - p[2] + w * weight[2] / 4))
                answers.add(math.floor(level))
    return answers


def shanbhag(c):
    def cost(k):
        low = high = 0
        n1, n2 = sum(c[:k + 1]), sum(c[k + 1:])
        for i in range(len(c)):
            if i <= k:
                low -= c[i] / n1 * math.log(1 - sum(c[:i]) / (2 * n1))
            else:
                high -= c[i] / n2 * math.log(1 - sum(c[i + 1:]) / (2 * n2))
        return abs(low - high)
    return least(c, cost)


def yen(c):
    def squares(lo, hi):
        return sum(p * p for p in shares(c, lo, hi))
    return least(c, lambda k: math.log(squares(0, k) * squares(k + 1, len(c) - 1)))


def peaks(curve):
    found, i = [], 0
    while i < len(curve):
        j = i
        while j + 1 < len(curve) and curve[j + 1] == curve[i]:
            j += 1
        if (i == 0 or curve[i - 1] < curve[i]) and (j + 1 == len(curve) or curve[j + 1] < curve[i]):
            found.append((i + j) // 2)
        i = j + 1
    return found


def two_peaks(c):
    curve = [float(v) for v in c]
    for _ in range(10000):
        found = peaks(curve)
        if len(found) <= 2:
            return curve, found
        padded = [0.0] + curve + [0.0]
        curve = [(padded[i] + padded[i + 1] + padded[i + 2]) / 3 for i in range(len(c))]
    return curve, []


def intermodes(c):
    _, found = two_peaks(c)
    return [sum(found) // 2] if len(found) == 2 else []


def minimum(c):
    curve, found = two_peaks(c)
    if len(found) != 2:
        return []
    return [min(range(found[0], found[1]), key=lambda i: (curve[i], i))]


def triangle(c):
    used = [i for i, v in enumerate(c) if v]
    peak = c.index(max(c))
    if used[-1] - peak < peak - used[0]:
        # Mirrored, the classes change places: bins above the mirrored level are the lower class.
        mirrored = [len(c) - 2 - k for k in deepest(c[::-1], len(c) - 1 - peak)]
    else:
        mirrored = deepest(c, peak)
    return [max(used[0], min(k, used[-1] - 1)) for k in mirrored]


def deepest(c, peak):
    end = max(i for i, v in enumerate(c) if v) + 1
    depth = [Fraction(c[peak] * (end - i), end - peak) - c[i] for i in range(peak, end)]
    return [peak + depth.index(max(depth))]


METHODS = {
    "otsu": otsu, "mean": mean_level, "default": default, "huang": huang, "intermodes": intermodes,
    "isodata": isodata, "li": li, "max-entropy": max_entropy, "min-error": min_error,
    "minimum": minimum, "moments": moments, "percentile": percentile,
    "renyi-entropy": renyi_entropy, "shanbhag": shanbhag, "triangle": triangle, "yen": yen,
}


def main():
    for line in sys.stdin:
        query, *counts = line.split()
        name, classes = query.split(':')
        counts = [int(v) for v in counts]
        used = [i for i, v in enumerate(counts) if v]
        if name == 'multi-otsu':
            levels = multi_otsu(counts, int(classes))
            print(*levels if levels else ["none"])
            continue
        answer = used if len(used) == 1 else sorted(METHODS[name](counts))
        print(*answer if answer else ["none"])


if __name__ == "__main__":
    main()
