"""Prose of varied vocabulary and claims about it, the same for the same seed.

Words are built from syllables, so that a page has about as many different
words as English prose of its length. No sentence of a page is repeated.
"""

import random

ONSETS = "b br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w wh".split()
VOWELS = "a ai au e ea ee i ia o oa oi oo ou u".split()
CODAS = "b ck d ft g l ld ll lt m mp n nd ng nk nt p pt r rd rk rm rn rt s sh sk ss st t th x".split()
ENDINGS = ["", "", "", "s", "ed", "ing", "ly", "er", "ion", "ment"]
SMALL = "the a of to in and that it was for on as with by at from his her they this but had not are or an".split()
UNITS = ["percent", "metres", "hours", "days", "MB", "euros", "people", "tons"]


def vocabulary(rng, count):
    words = set()
    while len(words) < count:
        syllables = rng.choice((1, 1, 2, 2, 2, 3))
        word = "".join(rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(syllables)) + rng.choice(CODAS)
        words.add(word + rng.choice(ENDINGS))
    return sorted(words)


class Author:
    """Writes sentences; frequent words come first, as in any language."""

    def __init__(self, seed, words=12_000):
        self.rng = random.Random(seed)
        self.words = vocabulary(self.rng, words)
        self.rng.shuffle(self.words)
        self.weights = [1 / (rank + 12) for rank in range(len(self.words))]

    def sentence(self):
        rng = self.rng
        length = rng.randrange(8, 28)
        picked = rng.choices(self.words, self.weights, k=length)
        words = [rng.choice(SMALL) if rng.random() < 0.42 else word for word in picked]
        if rng.random() < 0.3:
            figure = rng.choice([str(rng.randrange(2, 400)), f"{rng.randrange(1, 90)},{rng.randrange(100, 999)}", f"{rng.random() * 90:.1f}"])
            words[rng.randrange(2, length)] = f"{figure} {rng.choice(UNITS)}"
        if rng.random() < 0.15:
            words[rng.randrange(2, length)] = f"in {rng.randrange(1950, 2025)}"
        if rng.random() < 0.3:
            at = rng.randrange(2, length - 2)
            words[at] += ","
        return (" ".join(words)).capitalize() + "."

    def page(self, size):
        """A page of so many characters, in paragraphs, without a repeated sentence."""
        seen, paragraphs, total = set(), [], 0
        while total < size:
            paragraph = []
            for _ in range(self.rng.randrange(3, 8)):
                sentence = self.sentence()
                if sentence not in seen:
                    seen.add(sentence)
                    paragraph.append(sentence)
            paragraphs.append(" ".join(paragraph))
            total += len(paragraphs[-1]) + 2
        return "\n\n".join(paragraphs)[:size]

    def claim(self, page):
        """A sentence of the page: as it is, shortened, with another figure, negated, or a new one."""
        rng = self.rng
        sentences = [one for one in page.replace("\n\n", " ").split(". ") if len(one) > 30]
        words = rng.choice(sentences).rstrip(".").split(" ")
        kind = rng.randrange(5)
        if kind == 1:
            words = words[: max(6, len(words) * 2 // 3)]
        elif kind == 2:
            words = [str(rng.randrange(2, 400)) if word[:1].isdigit() else word for word in words]
        elif kind == 3:
            words.insert(len(words) // 2, "not")
        elif kind == 4:
            return self.sentence().rstrip(".")
        del words[rng.randrange(1, len(words) - 1)]
        return " ".join(words)
