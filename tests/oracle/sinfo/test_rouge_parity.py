"""P_ROUGE against the libraries and the textbook it claims to equal: bit for bit, not nearly."""

from __future__ import annotations

import math
import random
import string
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from scoresheet.metrics import rouge_l_precision
from tests.helpers.soak import examples, first

Pair = tuple[str, str]

LIBRARY = Rouge(metrics=["rouge-l"])
SCORER = RougeScorer(["rougeL"], use_stemmer=False)
LONG_EXAMPLES = examples(60)

# everything str.split() splits on, the ASCII separators and the next-line sign included
SPACES = (*" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85", "\u00a0", "\u2002", "\u2028", "\u2029", "\u202f", "\u3000")


# --- oracles, each asked once of a pair: both kernels are held against the same answer ---------------


def is_wordless(text: str) -> bool:
    return not text.replace(".", " ").split()


@cache
def by_library(prediction: str, reference: str) -> float:
    value: float = LIBRARY.get_scores(prediction.strip(), reference.strip())[0]["rouge-l"]["p"]
    return value


@cache
def by_rouge_score(prediction: str, reference: str) -> float:
    value: float = SCORER.score(reference, prediction)["rougeL"].precision
    return value


def lcs_table(x: Sequence[str], y: Sequence[str]) -> list[list[int]]:
    table = [[0] * (len(y) + 1)]
    for word in x:
        above, row = table[-1], [0]
        for j, other in enumerate(y):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        table.append(row)
    return table


def textbook_precision(prediction: Sequence[str], reference: Sequence[str]) -> float:
    return lcs_table(prediction, reference)[-1][-1] / len(prediction)


@cache
def by_textbook(prediction: str, reference: str) -> float:
    return textbook_precision(prediction.split(), reference.split())


def traced_words(reference: Sequence[str], prediction: Sequence[str]) -> set[str]:
    """Return the words of the LCS the library's traceback picks, found without recursion."""
    table, words = lcs_table(reference, prediction), set()
    i, j = len(reference), len(prediction)
    while i and j:
        if reference[i - 1] == prediction[j - 1]:
            words.add(reference[i - 1])
            i, j = i - 1, j - 1
        elif table[i - 1][j] > table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return words


def sentences(text: str) -> list[list[str]]:
    return [piece.split() or [""] for piece in text.strip().split(".") if piece]


@cache
def by_iteration(prediction: str, reference: str) -> float:
    """Return the union-LCS precision over sets, for texts too long for the recursive library."""
    ours, theirs = sentences(prediction), sentences(reference)
    union: set[str] = set().union(*(traced_words(r, p) for r in theirs for p in ours))
    return len(union) / len({word for sentence in ours for word in sentence})


UNSPACED = regex.compile(
    "|".join(rf"\p{{Script={name}}}" for name in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"))
)


def cut(token: str) -> list[str]:
    """Cut as `auto` is defined: unspaced graphemes, runs of letters, marks and digits, the rest."""
    if not UNSPACED.search(token):
        return [token]
    parts: list[str] = []
    run = ""
    for cluster in regex.findall(r"\X", token):
        if UNSPACED.match(cluster):
            parts += [run, cluster]
            run = ""
            continue
        for character in cluster:
            if unicodedata.category(character)[0] in "LM" or unicodedata.category(character) == "Nd":
                run += character
            else:
                parts += [run, character]
                run = ""
    return [part for part in [*parts, run] if part]


def respaced(text: str, cutter: Callable[[str], Iterable[str]]) -> str:
    """Put spaces between the tokens of each sentence; full stops and blank sentences stay as they are."""
    return ".".join(
        " ".join(part for token in piece.split() for part in cutter(token)) if piece.split() else piece
        for piece in text.strip().split(".")
    )


def mismatches(
    pairs: Iterable[Pair], ours: Callable[[str, str], float], oracle: Callable[[str, str], float]
) -> list[tuple[str, str, float, float]]:
    """Return the shortest disagreements first, so that a failure shows a small case."""
    found = [(p, r, got, wanted) for p, r in pairs if (got := ours(p, r)) != (wanted := oracle(p, r))]
    return sorted(found, key=lambda case: len(case[0]) + len(case[1]))[:5]


def by_default(prediction: str, reference: str) -> float:
    return rouge_l_precision(prediction, reference)


def on_white_space(prediction: str, reference: str) -> float:
    return rouge_l_precision(prediction, reference, tokenizer="whitespace")


def with_auto(prediction: str, reference: str) -> float:
    return rouge_l_precision(prediction, reference, tokenizer="auto")


def on_characters(prediction: str, reference: str) -> float:
    return rouge_l_precision(prediction, reference, tokenizer="chars")


def lin(prediction: str, reference: str) -> float:
    return rouge_l_precision(prediction, reference, rouge="lin", tokenizer="whitespace")


def charset(prediction: str, reference: str) -> float:
    return rouge_l_precision(prediction, reference, rouge="charset")


# --- seeded texts --------------------------------------------------------------------------------


def random_text(rng: random.Random, vocabulary: Sequence[str], length: int, stops: float) -> str:
    """Return words with full stops anywhere: glued, doubled, alone, before, after, inside."""
    space = rng.choice([" ", " ", " ", rng.choice(SPACES)])
    pieces: list[str] = []
    for _ in range(length):
        pieces.append(rng.choice(vocabulary))
        roll = rng.random()
        if roll < stops:
            pieces.append(rng.choice([". ", ".", " . ", "..", ". . ", " .", f".{rng.choice(SPACES)}."]))
        elif roll < stops + 0.1:
            pieces.append(rng.choice(SPACES) * rng.randint(1, 3))
        else:
            pieces.append(space)
    edge = rng.choice(["", "", "", ".", " ", ". ", "..", "\n"])
    return edge + "".join(pieces) + rng.choice(["", edge])


VOCABULARIES: list[list[str]] = [
    ["a", "b"],
    ["a", "b", "c"],
    ["the", "cat", "sat", "on"],
    ["x", "y", "z", "xy", "yz"],
    ["die", "Katze", "saß", "auf", "Die", "katze"],
    ["그", "고양이", "가", "앉다", "그고양이"],
    ["il", "l’été", "e\u0301te\u0301", "—", "!", "。"],
]


@cache
def short_pairs(seed: int, count: int) -> list[Pair]:
    rng = random.Random(seed)
    pairs: list[Pair] = []
    while len(pairs) < count:
        vocabulary = rng.choice(VOCABULARIES)
        stops = rng.choice([0.0, 0.1, 0.3, 0.6])
        longest = rng.choice([4, 8, 8, 14, 14, 40])
        pair = (
            random_text(rng, vocabulary, rng.randint(1, longest), stops),
            random_text(rng, vocabulary, rng.randint(1, longest), stops),
        )
        pairs.append(pair)
    return pairs


@cache
def long_pairs(seed: int, count: int) -> list[Pair]:
    rng = random.Random(seed)
    pairs: list[Pair] = []
    for _ in range(count):
        size = rng.choice([3, 6, 30, 150])
        vocabulary = [f"w{n}" for n in range(size)]
        stops = rng.choice([0.0, 0.05, 0.1])
        pairs.append(
            (
                random_text(rng, vocabulary, rng.randint(100, 300), stops),
                random_text(rng, vocabulary, rng.randint(100, 300), stops),
            )
        )
    return pairs


@pytest.mark.parametrize("seed", first(3, range(10)))
def test_short_texts_score_as_the_library_bit_for_bit(seed: int) -> None:
    pairs = short_pairs(seed, 1_200)
    assert mismatches(pairs, on_white_space, by_library) == []


@pytest.mark.parametrize("seed", range(2))
def test_auto_scores_spaced_scripts_as_the_library(seed: int) -> None:
    pairs = short_pairs(100 + seed, 800)
    assert mismatches(pairs, with_auto, by_library) == []


@pytest.mark.parametrize("seed", first(1, range(3)))
def test_texts_of_hundreds_of_words_score_as_the_library(seed: int) -> None:
    pairs = long_pairs(seed, 35)
    assert mismatches(pairs, on_white_space, by_library) == []
    assert mismatches(pairs, with_auto, on_white_space) == []


def test_every_pair_of_tiny_texts_scores_as_the_library() -> None:
    rng = random.Random(7)
    texts = [text for length in range(1, 6) for text in rng.sample([*_products("ab. ", length)], min(60, 4**length))]
    texts = [text for text in texts if not is_wordless(text)]
    pairs = [(p, r) for p in texts for r in rng.sample(texts, 40)]
    assert mismatches(pairs, on_white_space, by_library) == []


def _products(alphabet: str, length: int) -> Iterator[str]:
    if length == 0:
        yield ""
        return
    for head in alphabet:
        for tail in _products(alphabet, length - 1):
            yield head + tail


def test_every_order_of_a_few_words_scores_as_the_library() -> None:
    """All texts of one to four words out of two or three: every tie the traceback can meet."""
    texts = [" ".join(word) for length in range(1, 5) for word in _products("abc", length)]
    longer = [" ".join(word) for word in _products("ab", 5)]
    pairs = [(p, r) for p in texts for r in texts[::3]] + [(p, r) for p in longer for r in longer]
    assert mismatches(pairs, on_white_space, by_library) == []


# --- the same by hypothesis ----------------------------------------------------------------------

WORDS = st.sampled_from(["a", "b", "c", "the", "The", "x1"])
JOINS = st.sampled_from([*SPACES, " ", " ", " ", ".", ". ", " . ", "..", ". ."])
TEXTS = st.lists(st.tuples(WORDS, JOINS), min_size=1, max_size=14).map(
    lambda pieces: "".join(word + join for word, join in pieces)
)
# A kana-only letter or mark of the Common script (the long vowel mark, say) belongs to either side of the
# definition, so it is left out here and pinned by examples below.
BORDERLINE = regex.compile(r"[\p{L}\p{M}&&[\p{scx=Hira}\p{scx=Kana}\p{scx=Han}\p{scx=Thai}]]", regex.V1)
SPACED_SCRIPTS = st.text(max_size=30).filter(
    lambda text: not UNSPACED.search(text) and not BORDERLINE.search(text) and not is_wordless(text)
)
ANY_TEXT = st.text(max_size=30).filter(lambda text: not is_wordless(text))


@LONG_EXAMPLES
@given(TEXTS, TEXTS)
def test_words_stops_and_odd_spaces_score_as_the_library(prediction: str, reference: str) -> None:
    expected = by_library(prediction, reference)
    assert on_white_space(prediction, reference) == expected
    assert with_auto(prediction, reference) == expected


@LONG_EXAMPLES
@given(ANY_TEXT, ANY_TEXT)
def test_any_text_split_on_white_space_scores_as_the_library(prediction: str, reference: str) -> None:
    assert on_white_space(prediction, reference) == by_library(prediction, reference)
    both = prediction + reference
    assert on_white_space(prediction, both) == by_library(prediction, both)


@LONG_EXAMPLES
@given(SPACED_SCRIPTS, SPACED_SCRIPTS)
def test_auto_is_the_library_on_any_text_without_unspaced_scripts(prediction: str, reference: str) -> None:
    assert with_auto(prediction, reference) == by_library(prediction, reference)


def test_auto_is_the_default_tokeniser_and_rouge_the_default_score() -> None:
    pairs = [*short_pairs(5, 200), ("喜爱得不想放手", "喜爱得舍不得放手")]
    assert mismatches(pairs, by_default, with_auto) == []


# --- blank sentences, empty texts, size ----------------------------------------------------------


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("a. . b", "a b", 2 / 3),  # the blank sentence is one empty word of the prediction
        ("a. . b", "a. . b", 1.0),  # and matches the empty word of the reference
        ("a..b", "a b", 1.0),  # no blank between the stops: no sentence there
        ("a b", "b a", 1 / 2),
        ("a b. b a", "b a", 1.0),  # a union over sentences
        (". a", "a", 1.0),  # outer white space is stripped, the stop is not a word
        ("a .", "a", 1.0),
        ("3.14", "3 14", 1.0),
    ],
)
def test_sentences_are_the_pieces_between_full_stops(prediction: str, reference: str, expected: float) -> None:
    assert by_library(prediction, reference) == expected
    assert on_white_space(prediction, reference) == expected
    assert with_auto(prediction, reference) == expected


WORDLESS = ["", " ", "...", ".", " . . ", "\n\t", "\u3000", "\u00a0.\u2028", "\x1c", "\x85.\x1f"]


@pytest.mark.parametrize("rouge", ["rouge", "lin", "charset"])
@pytest.mark.parametrize("tokenizer", ["auto", "whitespace", "chars"])
@pytest.mark.parametrize("wordless", WORDLESS)
def test_a_wordless_text_on_either_side_has_no_precision(rouge: str, tokenizer: str, wordless: str) -> None:
    options: dict[str, Any] = {"rouge": rouge, "tokenizer": tokenizer}
    assert math.isnan(rouge_l_precision(wordless, "the cat", **options))
    assert math.isnan(rouge_l_precision("the cat", wordless, **options))
    assert math.isnan(rouge_l_precision(wordless, wordless, **options))


@pytest.mark.parametrize("word", ["!!!", "。。。", "…", "-", "0", "\u200b"])
def test_marks_other_than_the_full_stop_are_words(word: str) -> None:
    assert with_auto(word, "the cat") == 0.0
    assert with_auto(word, word) == 1.0


def test_fifteen_hundred_identical_words_score_one() -> None:
    text = " ".join(["word"] * 1_500)
    assert on_white_space(text, text) == 1.0
    assert with_auto(text, text) == 1.0


def test_fifteen_hundred_different_words_score_one_against_themselves() -> None:
    text = " ".join(f"w{n}" for n in range(1_500))
    assert on_white_space(text, text) == 1.0


def test_five_thousand_words_score_what_their_construction_says() -> None:
    reference = [f"w{n}" for n in range(5_000)]
    # every second word is foreign; the others keep the reference's order, so the LCS is unique
    prediction = [f"w{n}" if n % 2 == 0 else f"x{n}" for n in range(5_000)]
    assert on_white_space(" ".join(prediction), " ".join(reference)) == 0.5
    assert with_auto(" ".join(prediction), " ".join(reference)) == 0.5
    assert lin(" ".join(prediction), " ".join(reference)) == 0.5
    # reversed, any two words are out of order: exactly one of 5,000 can match
    assert on_white_space(" ".join(reversed(reference)), " ".join(reference)) == 1 / 5_000
    sentences_of_ten = ". ".join(" ".join(reference[n : n + 10]) for n in range(0, 5_000, 10))
    assert on_white_space(sentences_of_ten, sentences_of_ten) == 1.0


def test_the_iterative_oracle_is_the_library() -> None:
    pairs = short_pairs(31, 800) + long_pairs(32, 12)
    assert mismatches(pairs, by_iteration, by_library) == []


@pytest.mark.parametrize("seed", range(3))
def test_texts_beyond_the_librarys_recursion_keep_its_traceback(seed: int) -> None:
    rng = random.Random(seed)
    vocabulary = [f"w{n}" for n in range([2, 60, 600][seed])]
    # words that occur once show which of several equally long LCSs was traced
    prediction = " ".join(rng.choice(vocabulary) for _ in range(1_100))
    reference = " ".join(rng.choice(vocabulary) for _ in range(1_000))
    assert on_white_space(prediction, reference) == by_iteration(prediction, reference)


# --- unspaced scripts ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "parts"),
    [
        ("喜爱得不想放手", "喜 爱 得 不 想 放 手"),
        ("用Python3写", "用 Python3 写"),
        ("用GPT-4写", "用 GPT - 4 写"),
        ("お茶を飲む。", "お 茶 を 飲 む 。"),
        ("ラーメン", "ラ ー メ ン"),
        ("か\u3099き", "か\u3099 き"),
        ("ﾊﾟﾝ", "ﾊﾟ ﾝ"),
        ("葛\U000e0100城", "葛\U000e0100 城"),
        ("時々〇", "時 々 〇"),
        ("「猫」（ねこ）！", "「 猫 」 （ ね こ ） ！"),
        ("「「猫」」", "「 「 猫 」 」"),
        ("２０２４年", "２０２４ 年"),
        ("cafe\u0301店", "cafe\u0301 店"),
        ("한국어漢字", "한국어 漢 字"),
        ("เด็กดี", "เ ด็ ก ดี"),
        ("น้ำใจ", "น้ำ ใ จ"),
        ("ปี๒๕๖๗AD", "ปี ๒ ๕ ๖ ๗ AD"),
        ("ປະເທດ", "ປ ະ ເ ທ ດ"),
        ("ភាសា\u200bខ", "ភា សា \u200b ខ"),
        ("မြန်", "မြ န်"),
        ("a_b猫", "a _ b 猫"),
        ("ЁжИ猫", "ЁжИ 猫"),
        ("😀猫😀😀", "😀 猫 😀 😀"),
        ("hello。world", "hello。world"),  # no character of an unspaced script: left whole
        ("Ａ１！", "Ａ１！"),
        ("한국어！", "한국어！"),
    ],
)
def test_a_token_is_cut_as_a_reader_of_the_definition_would(token: str, parts: str) -> None:
    assert cut(token) == parts.split(" ")  # the oracle itself
    expected = parts.split(" ")
    assert with_auto(token, parts) == 1.0
    assert with_auto(parts, token) == 1.0
    # each part alone finds itself: no part was split further, none glued to its neighbour
    for part in expected:
        assert with_auto(token, f"{part} ¤") == 1 / len(set(expected))


# The long vowel mark is a letter of the Common script to Unicode and kana to a reader: it stands between kana
# here, where both cut it alike.
MIXED = {
    name: pool.split()
    for name, pool in {
        "chinese": "喜 爱 得 不 放 手 ， 。 ！ 《 》 GPT 4 1990 年",
        "japanese": "お 茶 を ラーメ ン か\u3099 々 、 「 」 ＡＢ １２ ﾊ\uff9f",
        "thai": "เ ด็ ก ดี น้ำ ไ ๆ ฯ ๑ OK 25 ! ( )",
        "lao, khmer, myanmar": "ປ ກັ ភា សា ។ \u200b မြ န် ၊ abc 7",
        "all together": "猫 ね ネ แ ມ ឆ က 한국 кот cafe\u0301 9 - _ 😀 葛\U000e0100",
    }.items()
}
JOINTS = ["", "", "", "", "", " ", " ", "\u3000", ".", ". ", " . . ", "\t"]


MIXED_TEXTS = st.lists(
    st.tuples(st.sampled_from(MIXED["all together"]), st.sampled_from(JOINTS)), min_size=1, max_size=12
).map(lambda pieces: "".join(part + joint for part, joint in pieces))


def mixed_text(rng: random.Random, pool: Sequence[str], length: int) -> str:
    return "".join(rng.choice(pool) + rng.choice(JOINTS) for _ in range(length))


@cache
def auto_oracle(prediction: str, reference: str) -> float:
    return by_library(respaced(prediction, cut), respaced(reference, cut))


@cache
def mixed_pairs(name: str, seed: int, count: int) -> list[Pair]:
    rng = random.Random(f"{name}/{seed}")
    pairs: list[Pair] = []
    while len(pairs) < count:
        pool = rng.sample(MIXED[name], rng.choice([3, 6, len(MIXED[name])]))
        p = mixed_text(rng, pool, rng.randint(1, rng.choice([5, 12, 25])))
        r = mixed_text(rng, pool, rng.randint(1, rng.choice([5, 12, 25])))
        pairs.append((p, r))
    return pairs


@pytest.mark.parametrize("name", MIXED)
def test_auto_scores_unspaced_scripts_as_the_library_on_spaced_text(name: str) -> None:
    pairs = mixed_pairs(name, 1, 1_000)
    assert mismatches(pairs, with_auto, auto_oracle) == []


def test_auto_keeps_spaced_neighbours_of_an_unspaced_token_whole() -> None:
    assert with_auto("don't 猫", "don't") == 1 / 2
    assert with_auto("don't 猫", "don t") == 0.0
    assert with_auto("don't猫", "don t") == 2 / 4


def test_a_full_stop_inside_an_unspaced_token_ends_the_sentence() -> None:
    assert with_auto("第3.5章", "第 3. 5 章") == 1.0
    assert with_auto("猫.犬", "犬.猫") == 1.0  # two sentences each: order between them does not matter
    assert with_auto("猫犬", "犬猫") == 1 / 2
    assert with_auto("猫. .犬", "猫犬") == 2 / 3  # the blank sentence is an empty word here too


def test_white_space_leaves_unspaced_scripts_whole() -> None:
    assert on_white_space("喜爱得不想放手", "喜爱得舍不得放手") == 0.0
    assert on_white_space("喜爱 得", "喜爱 得") == 1.0


@LONG_EXAMPLES
@given(MIXED_TEXTS, MIXED_TEXTS)
def test_auto_on_mixed_scripts_is_the_library_on_spaced_text(prediction: str, reference: str) -> None:
    assert with_auto(prediction, reference) == auto_oracle(prediction, reference)


@cache
def chars_oracle(prediction: str, reference: str) -> float:
    return by_library(respaced(prediction, list), respaced(reference, list))


@pytest.mark.parametrize("alphabet", ["ab", "abc", "abcd!。", "喜爱得放手", "猫ねaB1，"])
def test_chars_scores_as_the_library_on_spaced_characters(alphabet: str) -> None:
    rng = random.Random(alphabet)
    pairs: list[Pair] = []
    for _ in range(600):
        longest = rng.choice([3, 8, 20])
        pairs.append(
            (
                random_text(rng, [*alphabet, alphabet], rng.randint(1, longest), 0.2),
                random_text(rng, [*alphabet, alphabet], rng.randint(1, longest), 0.2),
            )
        )
    assert mismatches(pairs, on_characters, chars_oracle) == []


def test_chars_ignores_where_the_spaces_are() -> None:
    assert on_characters("ab c", "a bc") == 1.0
    assert on_characters("abc", "cab") == 2 / 3


# --- lin and charset -----------------------------------------------------------------------------


@cache
def plain_pairs(seed: int, count: int, longest: int) -> list[Pair]:
    rng = random.Random(seed)
    pairs: list[Pair] = []
    for _ in range(count):
        size = rng.choice([2, 4, 12, 40])
        letters = string.ascii_lowercase + string.digits
        words = ["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(size)]
        pairs.append(
            (
                " ".join(rng.choices(words, k=rng.randint(1, longest))),
                " ".join(rng.choices(words, k=rng.randint(1, longest))),
            )
        )
    return pairs


@pytest.mark.parametrize("seed", range(3))
def test_lin_scores_plain_words_as_rouge_score(seed: int) -> None:
    pairs = plain_pairs(seed, 1_000, 25)
    assert mismatches(pairs, lin, by_rouge_score) == []


def test_lin_is_the_textbook_lcs_over_the_prediction() -> None:
    rng = random.Random(11)
    words = ["the", "The", "cat", "saß", "그", "!", "l’été"]
    texts = [" ".join(rng.choices(words, k=rng.randint(1, 30))) for _ in range(1_000)]
    mixed = list(zip(texts[::2], texts[1::2], strict=True))
    assert mismatches(plain_pairs(12, 200, 60) + mixed, lin, by_textbook) == []


def test_lin_uses_the_tokens_of_the_chosen_tokeniser() -> None:
    def lin_auto(prediction: str, reference: str) -> float:
        return rouge_l_precision(prediction, reference, rouge="lin")

    def lin_chars(prediction: str, reference: str) -> float:
        return rouge_l_precision(prediction, reference, rouge="lin", tokenizer="chars")

    assert lin_auto("喜爱得不想放手", "喜爱得舍不得放手") == 6 / 7
    assert lin("喜爱得不想放手", "喜爱得舍不得放手") == 0.0
    assert lin_chars("aab b", "ab") == 2 / 4
    assert lin("the cat. sat", "the cat sat") == 1.0  # the full stop is no part of a token


def test_lin_counts_repeated_words_and_rouge_distinct_ones() -> None:
    assert lin("the cat sat on the mat", "the cat sat") == 0.5
    assert on_white_space("the cat sat on the mat", "the cat sat") == 0.6


def test_lin_keeps_case() -> None:
    assert lin("The Cat", "the cat") == 0.0


@LONG_EXAMPLES
@given(st.lists(WORDS, min_size=1, max_size=20), st.lists(WORDS, min_size=1, max_size=20))
def test_lin_is_the_textbook_value_on_any_words(prediction: list[str], reference: list[str]) -> None:
    assert lin(" ".join(prediction), " ".join(reference)) == textbook_precision(prediction, reference)


@LONG_EXAMPLES
@given(ANY_TEXT, ANY_TEXT)
def test_charset_is_the_share_of_the_predictions_distinct_characters(prediction: str, reference: str) -> None:
    ours, theirs = set(prediction.strip()), set(reference.strip())
    assert charset(prediction, reference) == len(ours & theirs) / len(ours)


def test_charset_ignores_the_tokeniser_and_the_order() -> None:
    options: dict[str, Any] = {"rouge": "charset"}
    for options["tokenizer"] in ("auto", "whitespace", "chars"):
        assert rouge_l_precision("abc d", "dcba x", **options) == 1.0
        assert rouge_l_precision("ab", "ax", **options) == 0.5
