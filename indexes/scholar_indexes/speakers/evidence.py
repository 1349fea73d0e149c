"""What a novel shows about each capitalised name in it: where it stands and what it does.

One pass over the words collects, for every form of name ("Mr. Darcy", "Darcy", "the Hatter"),
how often it speaks, is spoken to, owns something, follows "in" or "at", and which pronouns
come after it. Whether that makes a person of it is judged elsewhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from math import log

from scholar_indexes.speakers.mentions import ABBREVIATED, OWN
from scholar_indexes.types import Quotation

MALE_TITLES = frozenset(
    "mr messrs master mister sir lord captain capt colonel col general gen lieutenant lieut lt "
    "major maj sergeant sergt sgt admiral reverend rev revd father brother uncle grandfather "
    "duke count earl viscount baron marquis prince king emperor czar inspector constable squire "
    "bishop archbishop abbe monsieur mons signor signore senor herr don comrade judge baronet "
    "deacon alderman president commander corporal mistah".split()
)

FEMALE_TITLES = frozenset(
    "mrs miss missis misses mistress lady dame madam madame mme mlle mademoiselle mother sister "
    "aunt auntie grandmother granny duchess countess viscountess baroness marquise marchioness "
    "princess queen empress signora signorina senora frau fraulein donna nurse".split()
)

RANKS = MALE_TITLES | FEMALE_TITLES | frozenset("dr doctor prof professor cousin hon".split())
"""Words before a name that only a person bears, folded."""

PETS = frozenset("old young little poor dear dearest sweet good big".split())
"""Words before a name that say nothing about who is meant, folded."""

PARTICLES = frozenset("de du des la le von van der den di da del st saint".split())
"""Words within a surname, folded."""

LANDED = frozenset(
    "duke duchess king queen earl count countess lord lady prince princess marquis marquise "
    "marchioness baron baroness bishop archbishop knave knight emperor empress".split()
)
"""Titles that take "of" and a place: the Duke of Wellington."""

SPEECH = frozenset(
    "said says replied cried asked answered exclaimed returned whispered murmured muttered "
    "added continued remarked observed repeated demanded inquired enquired shouted called began "
    "suggested declared responded retorted interrupted protested interposed rejoined ejaculated "
    "screamed sighed sobbed stammered growled announced explained admitted agreed insisted "
    "laughed pleaded persisted resumed told groaned grunted roared gasped snapped urged "
    "assented echoed pursued faltered proceeded mumbled".split()
)
"""Verbs of speech, as they stand beside a name."""

_HUMAN = frozenset(
    "thought felt knew looked smiled nodded laughed turned sat walked came went saw heard took "
    "put wished wanted tried loved liked hoped feared believed remembered wondered watched "
    "listened shook bowed blushed frowned shrugged paused hesitated rose leaned stared glanced "
    "ran wept spoke talked wrote read entered approached opened who himself herself whose whom "
    "married sighed kissed".split()
)
"""Words after a name that only a person's has."""

_INSIDE = frozenset(
    "in at near into through round around across within beyond outside throughout".split()
)
_TOWARDS = frozenset("to from for of on by".split())
_ARTICLES = frozenset("the a an this that these those".split())
_HE = frozenset("he his him himself".split())
_SHE = frozenset("she her hers herself".split())
_OLD, _YOUNG = {"old", "elder"}, {"young", "younger"}

_ENDEARING = frozenset("dear dearest my poor old darling oh o sweet little and".split())

NOT_NAMES = frozenset(
    # What begins sentences, even in a text too short to show it in lower case.
    "a an the and but or nor so yet for if when while as that this these those there here it he "
    "she they we you i him her his hers its their our your my me us them who whom whose which "
    "what where why how all any some no none not never nothing something everything anything "
    "one two three four five six seven eight nine ten first second third last next once then "
    "now only even still just also too again always often soon perhaps indeed certainly surely "
    "yes oh ah o alas hush hullo hello hallo hurrah bravo well very much many more most such "
    "each every either neither both another other others after before since until till because "
    "though although unless in on at by to from of off out over under up down into upon with "
    "without within between among against about above below behind beyond during through toward "
    "towards was were is are be been being am had has have do did does done can could will "
    "would shall should may might must let come go look see think say says said tell told ask "
    "asked give take make get got put good bad great old young little big long poor dear "
    "thank thanks please pray excuse forgive suppose whether whatever whoever wherever whenever "
    "however therefore thus hence meanwhile moreover nevertheless otherwise presently suddenly "
    "finally really exactly quite rather almost enough am'i everybody everyone nobody somebody "
    "someone anybody anyone sir madam ma'am madame mister gentlemen ladies mamma mama papa "
    "mother father dad daddy mummy mum uncle aunt brother sister nonsense ay aye nay eh "
    "ladyship lordship majesty highness excellency worship humph damn damned bless confound "
    # Gods and what is sworn by.
    "god gods heaven heavens hell providence almighty creator saviour christ jesus jehovah jove "
    # Printed furniture.
    "chapter volume vol book part letter contents preface illustration project gutenberg note "
    "the_end end i'm i'll i've i'd it's that's".split()
)  # fmt: skip
"""Capitalised words that are never a name alone, folded."""

SUSPECT = frozenset(
    # Months, days and feasts.
    "january february april june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday christmas easter michaelmas lent whitsuntide "
    # What is believed in and read.
    "god lord heaven christ jesus almighty jove devil satan bible scripture scriptures gospel "
    "testament jupiter venus apollo cupid mars "
    # Peoples, tongues and faiths.
    "english englishman englishmen englishwoman french frenchman frenchmen frenchwoman german "
    "germans italian italians spanish spaniard spaniards russian russians dutch irish irishman "
    "scotch scottish scotchman welsh american americans indian indians african chinese japanese "
    "turk turks turkish greek greeks roman romans latin hebrew jew jews jewish arab arabs "
    "christian christians catholic catholics protestant protestants methodist quaker puritan "
    "european europeans oriental asiatic swiss austrian prussian polish swedish danish "
    "norwegian portuguese canadian australian mexican pole poles egyptian persian saxon norman "
    "celtic gothic victorian georgian elizabethan parisian londoner "
    # Places that novels name without showing them.
    "england france germany italy spain russia ireland scotland wales britain europe america "
    "asia africa india china japan london paris rome venice vienna berlin york oxford cambridge "
    "bath brighton edinburgh dublin manchester liverpool yorkshire kent devonshire derbyshire "
    "hertfordshire surrey sussex hampshire essex norfolk suffolk boston chicago philadelphia "
    "washington canada australia egypt greece turkey".split()
)  # fmt: skip
"""Capitalised words that are a person's name only where the book insists, folded."""

PLACE_BEGINNINGS = frozenset(
    "st saint san santa mount lake new port fort cape north south east west".split()
)
"""First words of names that are not a person's, folded."""

PLACES = frozenset(
    "street road lane square park house hall lodge abbey castle court hotel inn church "
    "cathedral chapel college school university bridge river lake sea bay island islands isle "
    "hill hills mountain mountains mount wood woods forest green field fields farm manor "
    "cottage villa terrace place row gardens garden avenue city town village county station "
    "club bank office museum gallery theatre opera ocean channel coast cape point valley moor "
    "common heath gate gates company society association ministry parliament times post gazette "
    "herald review magazine chronicle act bill war buildings building room rooms grange priory "
    "rectory vicarage parsonage mill mills works railway line crescent north south east west "
    "shire states kingdom republic empire st street. quarter day night eve".split()
)
"""Last words of names that are not a person's, folded."""

_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑'’][^\W\d_]+)*")
_STOPS = frozenset(".!?:;…*|[]")
_QUOTES = frozenset("\"“”‘'’«»`(")
_BREAKS = frozenset(",.!?;—-")
_APOSTROPHE = re.compile(r"['’]s?$")
ELSE = 0.3
"""The share of pronouns after a name that mean someone else."""

LONGEST_NAME = 4
"""Words of a name without its titles; a longer run of capitals is a heading."""

FOLLOW = 14
"""Words after a name in which a pronoun may mean it."""


@dataclass(frozen=True, slots=True)
class Form:
    """A name as one way of writing it has it: the title folded, the rest as it reads.

    "the" as title marks a description, "the Hatter".
    """

    title: str
    words: tuple[str, ...]


@dataclass(slots=True)
class Seen:
    """How often a form stands in each surrounding; raw is how the text writes it."""

    raw: str
    count: int = 0
    middle: int = 0  # not where a sentence begins
    quoted: int = 0
    speaks: int = 0
    acts: int = 0
    called: int = 0
    owns: int = 0
    inside: int = 0  # after "in", "at" ...
    towards: int = 0
    article: int = 0
    pronouns: int = 0
    lean: float = 0.0  # log odds that the pronouns after it mean a man
    narrated: int = 0  # speaks or acts outside quotations
    old: int = 0  # after "old" or "elder"
    young: int = 0
    places: list[int] = field(default_factory=list)  # words where it begins in the narration

    def add(self, other: Seen) -> None:
        """Adds up the counts; the places stay each form's own."""
        for each in fields(self):
            if each.name not in ("raw", "places"):
                setattr(self, each.name, getattr(self, each.name) + getattr(other, each.name))


class Text:
    """A novel as words, with what is asked of them: lower case, gaps, inside quotations."""

    def __init__(self, text: str, quotations: Sequence[Quotation]) -> None:
        self.text = text
        found = list(_WORD.finditer(text))
        self.words = [each.group() for each in found]
        self.starts = [each.start() for each in found]
        self.ends = [each.end() for each in found]
        self.lower = [each.lower() for each in self.words]
        self.quoted = self._quoted(quotations)
        self.capital = [at for at, each in enumerate(self.words) if _capital(each)]
        small = Counter(self.words)
        middle = Counter(self.lower[at] for at in self.capital if not self.begins(at))
        self._common = {
            word for word in {self.lower[at] for at in self.capital}
            if middle[word] <= small[word] / 8
        }  # fmt: skip
        self.small = small
        self.lean = self._lean()

    def __len__(self) -> int:
        return len(self.words)

    def _quoted(self, quotations: Sequence[Quotation]) -> bytearray:
        inside = bytearray(len(self.words))
        pieces = sorted((each.start, each.end) for q in quotations for each in q.pieces)
        at = 0
        for start, end in pieces:
            while at < len(self.starts) and self.starts[at] < start:
                at += 1
            while at < len(self.starts) and self.starts[at] < end:
                inside[at] = 1
                at += 1
        return inside

    def _lean(self) -> tuple[float, float]:
        """What "she" and "he" after a name say of its bearer, in log odds of a man.

        A pronoun that means someone else is drawn from the book's own, so that "she"
        says little in a book about a woman.
        """
        told = [w for w, inside in zip(self.lower, self.quoted, strict=True) if not inside]
        he = sum(word in _HE for word in told)
        share = (he + 2) / (he + sum(word in _SHE for word in told) + 4)
        she = log((1 - ELSE + ELSE * (1 - share)) / (ELSE * (1 - share)))
        return -she, log((1 - ELSE + ELSE * share) / (ELSE * share))

    def gap(self, at: int) -> str:
        """What stands between a word and the next one; at -1, what stands before the first."""
        start = self.ends[at] if at >= 0 else 0
        return self.text[
            start : self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        ]

    def begins(self, at: int) -> bool:
        """Whether a word begins a sentence, so that its capital says nothing."""
        gap = self.gap(at - 1)
        if at == 0 or gap.count("\n") > 1 or not _STOPS.isdisjoint(gap):
            return not (at and gap.strip() == "." and self.lower[at - 1] in ABBREVIATED)
        return gap[-1:] in _QUOTES

    def capital_at(self, at: int) -> bool:
        """Whether a word is written as a name is, and is not "I" or an ordinary one."""
        return self.words[at][0].isupper() and len(self.words[at]) > 1 and not self.common(at)

    def common(self, at: int) -> bool:
        """Whether a capitalised word is an ordinary one that a sentence begins with."""
        return self.lower[at] in self._common

    def joined(self, at: int) -> bool:
        """Whether a word and the next stand in one name: a blank or a line break between."""
        gap = self.gap(at)
        if gap == " ":
            return True
        if gap.isspace():
            return gap.count("\n") < 2
        short = len(self.words[at]) == 1 or self.lower[at] in ABBREVIATED
        return (
            short
            and gap[:1] == "."
            and (gap[1:] == "" or gap[1:].isspace())
            and gap.count("\n") < 2
        )


def gather(book: Text, known: frozenset[str] = frozenset()) -> dict[Form, Seen]:
    """Every form of name in a book and its surroundings.

    known are folded given names, which are taken for names even where the book shows them
    only at the beginning of a sentence.
    """
    found: dict[Form, Seen] = {}
    for form, first, end in _forms(book, known):
        seen = found.get(form)
        if seen is None:
            raw = " ".join(book.text[book.starts[first] : book.ends[end - 1]].split())
            seen = found[form] = Seen(_APOSTROPHE.sub("", raw).replace("_", ""))
        note(book, seen, first, end)
    return found


def _forms(book: Text, known: frozenset[str]) -> Iterator[tuple[Form, int, int]]:
    """Each capitalised name: its form, its first word's number and the one after its last."""
    until = 0
    for at in book.capital:
        if at < until:
            continue
        form, first, until = _form(book, at, known)
        if form is not None:
            yield form, first, until


def _form(book: Text, at: int, known: frozenset[str]) -> tuple[Form | None, int, int]:
    """The name that begins at a capital, if one does, and the words that it takes up."""
    titles: list[str] = []
    first = at
    here = at
    while _titled(book, here):
        titles.append(_rank(book.lower[here]))
        if titles[-1] in PETS and len(titles) == 1:
            titles.pop()
            first += 1
        here += 1
    words: list[str] = []
    if titles and titles[-1] in LANDED and here < len(book) and book.lower[here] == "of":
        if not (here + 1 < len(book) and _named(book, here + 1) and book.joined(here)):
            return None, at, max(here, at + 1)
        here += 1
    while here < len(book) and (not words or book.joined(here - 1)):
        if _named(book, here):
            if words and book.lower[here] in RANKS and _titled(book, here):
                break
            if words and len(words[-1]) == 1 and book.lower[here] in NOT_NAMES:
                break  # Prince S. They
            words.append(_APOSTROPHE.sub("", book.words[here]))
            here += 1
            if _APOSTROPHE.search(book.words[here - 1]):
                break
        elif _particle(book, here, bool(words or titles)):
            words.append(book.words[here])
            here += 1
        else:
            break
    ranks = [each for each in titles if each in RANKS]
    if not ranks and words:
        while words and _idle(book, here - len(words), words[0], known):
            words = words[1:]
        if len(words) > 1 and words[0].lower() in SUSPECT:
            words = words[1:]  # "On Saturday Ralph Denham": no comma
        first = here - len(words)
    if not words:
        return None, at, max(here, at + 1)
    if (
        len(words) > LONGEST_NAME
        or all(len(each) == 1 for each in words)
        or any(map(_made_up, words))
    ):
        return None, at, here
    if len(words) == 1 and not ranks:
        word = words[0].lower()
        if word in RANKS:
            return Form("the", tuple(words)), here - 1, here
        if word in NOT_NAMES and word not in known:
            return None, at, here
    return Form(ranks[-1] if ranks else "", tuple(words)), first, here


def _made_up(word: str) -> bool:
    """Whether a word is no name but a phrase in hyphens: What's-her-name."""
    parts = re.split(r"[-'’]", word.lower())
    return len(parts) > 1 and parts[0] in NOT_NAMES and len(parts[0]) > 1


def _idle(book: Text, at: int, word: str, known: frozenset[str]) -> bool:
    """Whether a first word is no part of the name: "But Emma", "Said Emma", "Old Emma"."""
    folded = word.lower()
    if folded in PETS or (folded in NOT_NAMES and folded not in known):
        return True
    return book.begins(at) and book.common(at) and not (folded in known and not book.small[folded])


def _rank(word: str) -> str:
    """A title without what is hyphened to it: detective-inspector, ex-king."""
    last = word.rpartition("-")[2]
    return last if last in RANKS else word


def _titled(book: Text, at: int) -> bool:
    """Whether a capitalised title or pet word stands here with a name, or "of", after it."""
    if at + 1 >= len(book) or not (_rank(book.lower[at]) in RANKS or book.lower[at] in PETS):
        return False
    if not book.words[at][0].isupper() or not book.joined(at):
        return False
    after = at + 1
    return _named(book, after) or book.lower[after] in PARTICLES or (
        book.lower[after] == "of" and book.lower[at] in LANDED
    )  # fmt: skip


def _named(book: Text, at: int) -> bool:
    """Whether a word reads as part of a name: a capital, and not all capitals."""
    word = book.words[at]
    if not _capital(word):
        return False
    if len(word) == 1:
        return word != "I" and book.gap(at)[:1] == "."
    return not word.isupper() and not word.startswith(("I'", "I’"))


def _capital(word: str) -> bool:
    """Whether a word has the capital of a name, as d'Urberville has."""
    return word[0].isupper() or (word.startswith(("d'", "d’")) and word[2:3].isupper())


def _particle(book: Text, at: int, begun: bool) -> bool:
    if not begun or book.lower[at] not in PARTICLES:
        return False
    last = min(at + 3, len(book))
    for here in range(at, last - 1):
        if not book.joined(here):
            return False
        if book.lower[here + 1] not in PARTICLES:
            return _named(book, here + 1)
    return False


def note(book: Text, seen: Seen, first: int, end: int) -> None:
    """Adds one place of a name, words [first, end), to what is known of it."""
    before = book.lower[first - 1] if first else ""
    after = book.lower[end] if end < len(book) else ""
    gap_before, gap_after = book.gap(first - 1), book.gap(end - 1)
    inside = bool(book.quoted[first])
    beside = gap_after.isspace()
    seen.count += 1
    seen.middle += not book.begins(first)
    seen.quoted += inside
    blank = gap_before.isspace()
    says = (before in SPEECH and blank) or (after in SPEECH and beside)
    does = after in _HUMAN and beside
    seen.speaks += says
    seen.acts += does
    seen.narrated += (says or does) and not inside
    possessive = _APOSTROPHE.search(book.words[end - 1]) is not None
    seen.owns += possessive and not (beside and book.words[end][0].isupper())  # Lover's Lane
    if blank:
        seen.inside += before in _INSIDE
        seen.towards += before in _TOWARDS
        seen.article += before in _ARTICLES
        seen.old += before in _OLD
        seen.young += before in _YOUNG
    if inside:
        seen.called += _called(book, first, end)
    else:
        seen.places.append(first)
        _pronoun(book, seen, end)


def _called(book: Text, first: int, end: int) -> bool:
    """Whether a name in speech stands apart, as of one spoken to: "No, my dear Emma,"."""
    alone = first == 0 or not book.quoted[first - 1] or not book.gap(first - 1).isspace()
    if not (alone or book.lower[first - 1] in _ENDEARING):
        return False
    if first and alone and book.quoted[first - 1] and book.capital_at(first - 1):
        return False  # Paris, London
    last = end == len(book) or not book.quoted[end]
    listed = not last and (book.lower[end] == "and" or book.capital_at(end))
    return last or (not listed and book.gap(end - 1)[:1] in _BREAKS)


def _pronoun(book: Text, seen: Seen, end: int) -> None:
    """Counts the first pronoun after a name, unless another name comes before it."""
    for at in range(end, min(end + FOLLOW, len(book))):
        word = book.lower[at]
        if word in _HE or word in _SHE:
            seen.pronouns += 1
            seen.lean += book.lean[word in _HE]
            return
        if book.words[at][0].isupper() and not book.common(at) and word != "i":
            return
        if book.gap(at - 1).count("\n") > 1:
            return


_VAGUE = frozenset(
    "other others latter former two three four five one ones first second third last next same "
    "rest whole voice voices words word answer reply question truth time day night morning "
    "evening world more most least best worst thing things subject matter party company crowd "
    "people men women boys girls children ladies gentlemen reason end beginning moment house "
    "room door air".split()
)
_FUNCTION = frozenset(
    "a an the and but or nor as at by for from in into of off on over to up with without when "
    "while who whom whose which that than then so not he she it they his her their its him them "
    "was were is are had has have did do again after before behind looking still out down back "
    "if once".split()
)
LONGEST_DESCRIPTION = 3
"""Words after "the" in a description that acts as a name."""


def descriptions(book: Text) -> dict[tuple[str, ...], Seen]:
    """What follows "the" and a verb of speech in the narration: the hatter, the old woman.

    Keys are folded words without the article; raw has it, and the capitals most used.
    """
    articles = [
        at for at, word in enumerate(book.lower) if word == "the" and at + 1 < len(book)
    ]  # fmt: skip
    spoken: Counter[tuple[str, ...]] = Counter()
    for at in articles:
        if not book.quoted[at]:
            described = _speaker(book, at)
            if described and described[-1] not in _VAGUE and not described[-1].endswith("ly"):
                spoken[described] += 1
    found: dict[tuple[str, ...], Seen] = {}
    written: dict[tuple[str, ...], Counter[str]] = {}
    for at in articles:
        for size in range(LONGEST_DESCRIPTION, 0, -1):
            key = tuple(book.lower[at + 1 : at + 1 + size])
            if key in spoken and all(book.gap(at + n).isspace() for n in range(size)):
                seen = found.setdefault(key, Seen(""))
                note(book, seen, at, at + 1 + size)
                written.setdefault(key, Counter())[
                    " ".join(book.words[at + 1 : at + 1 + size])
                ] += 1
                break
    for key, seen in found.items():
        seen.raw = "the " + written[key].most_common(1)[0][0]
        seen.speaks = max(seen.speaks, spoken[key])
    return found


def belongings(book: Text) -> dict[str, Seen]:
    """Whom the narrator calls "my aunt", by the noun, where it stands in the narration."""
    found: dict[str, Seen] = {}
    for at, word in enumerate(book.lower[:-1]):
        noun = book.lower[at + 1]
        if word == "my" and noun in OWN and not book.quoted[at] and book.gap(at).isspace():
            note(book, found.setdefault(noun, Seen(f"my {noun}")), at, at + 2)
    return found


def _speaker(book: Text, at: int) -> tuple[str, ...]:
    """The words after "the" when what they describe speaks: said the X, or the X said."""
    words: list[str] = []
    for here in range(at + 1, min(at + 2 + LONGEST_DESCRIPTION, len(book))):
        if not book.gap(here - 1).isspace():
            return ()
        word = book.lower[here]
        if word in SPEECH:
            return tuple(words)
        if word in _FUNCTION or len(words) == LONGEST_DESCRIPTION:
            break
        words.append(word)
        if not book.gap(here).isspace():
            break
    says = at > 0 and book.lower[at - 1] in SPEECH and book.gap(at - 1).isspace()
    while says and words and words[-1].endswith(("ly", "ing")):
        words.pop()
    return tuple(words) if says else ()
