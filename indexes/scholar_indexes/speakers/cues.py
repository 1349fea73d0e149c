"""How a novel says who speaks: "said Mr. Bennet", "cried his wife", or nothing.

The kinds of cue are those of Muzny, Fang, Chang and Jurafsky 2017 ("A Two-stage Sieve
Approach for Quote Attribution", section 3), as the Project Dialogism Novel Corpus annotates
them: explicit with a name, anaphoric with a pronoun or a description, implicit without
either. There is no parser here: the narration on both sides of each piece of a quotation is
read as words, and a few patterns that have served English fiction since Richardson tell the
verb of speech and its subject.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from scholar_indexes.speakers.mentions import ABBREVIATED, TITLES, Mention, words
from scholar_indexes.types import Character, Gender, Quotation, QuoteKind, Span

REACH = 700
"""Characters of narration looked at on either side of a piece of a quotation."""

# Lemmas; + doubles the last letter ("beg+" gives begged). Forms that follow no rule are
# written out below.
_SPEECH = """
    accuse acknowledge acquiesce add address admit admonish advise affirm agree allege allow
    amend announce answer apologise apologize appeal apprise argue articulate ask assent assert
    asseverate assure aver+ avow babble bark bawl beg+ bellow bewail blab+ blare bleat bluster
    blurt boast boom brag+ breathe burble cackle call carol caution cavil challenge chant
    chatter chide chime chirp chirrup chortle chorus claim clamour coax coincide comfort command
    comment complain concede conclude concur+ condole confess confide confirm congratulate
    conjecture console contend contradict contribute converse coo correct corroborate counsel
    counter croak croon cry dare declaim declare decline decree defer+ demand demur+ deny
    deplore describe dictate direct disagree dispute divulge drawl drivel drone echo ejaculate
    elaborate emphasise emphasize encourage enjoin enquire entreat enumerate enunciate err
    exclaim exhort explain explode expostulate exult falter fume gabble gasp gibber greet groan
    growl grumble grunt guess gurgle gush hail harangue hazard hint hiss holler howl hypothesise
    imagine implore inform inquire insinuate insist instruct interject interpolate interpose
    interpret interrogate interrupt intervene intimate intone jabber jeer jest joke lament
    lecture lisp maintain marvel mention moan moralise moralize mourn mumble murmur
    muse mutter nag+ narrate note object observe offer opine orate order persist philosophise
    pipe plead ponder pontificate praise prate prattle pray predict proclaim promise prompt
    pronounce prophesy propose protest purr pursue quaver query question quip+ quote rage rail
    rap+ rasp rave reason reassure recall recite recommend recount refuse reiterate rejoin relate
    remark remember remind remonstrate repeat reply report reprimand reproach reprove request
    resound respond resume retaliate retort return reveal rhapsodise roar scoff scold scream
    screech shout shriek shrill sigh snap+ snarl sneer snicker sniff snigger snort sob+
    soothe speculate splutter sputter squawk squeak squeal stammer state stipulate storm stutter
    subjoin suggest supplicate supply taunt tease testify thank theorise threaten
    thunder tut+ twitter urge utter venture vociferate volunteer vouchsafe vow wail warble warn
    welcome wheedle wheeze whimper whine whisper wonder yell yelp
""".split()

_WEAK = """
    bow beam blink blush brighten chuckle close colour color consider continue cough
    decide end expatiate expound finish fire flash frown giggle grimace grin+ hesitate
    hum+ interfere judge laugh nod+ pant pause point pout proceed puff pull reckon
    recollect reflect remain scowl shiver shrug+ simper smile smirk snuffle
    start stare stop+ suppose talk titter turn twinkle wave wink yawn
""".split()

_IRREGULAR = {
    "said": "say says saying saith sayin'",
    "began": "begin begins beginning begun",
    "broke": "break breaks breaking broken",
    "felt": "feel feels feeling",
    "read": "reads reading",
    "rang": "ring rings ringing rung",
    "rose": "rise rises rising risen",
    "shook": "shake shakes shaking shaken",
    "forbade": "forbid forbids forbidding",
    "spoke": "speak speaks speaking spoken",
    "sang": "sing sings singing sung",
    "swore": "swear swears swearing sworn",
    "told": "tell tells telling",
    "thought": "think thinks thinking",
    "went": "go goes going gone",
    "wrote": "write writes writing written",
}

_PARTICLES = {
    "burst": "out forth", "break": "in out off", "broke": "in out off", "breaking": "in out off",
    "put": "in", "putting": "in", "went": "on", "go": "on", "goes": "on", "going": "on",
    "gone": "on", "chimed": "in", "struck": "in", "cut": "in", "came": "out in", "got": "out",
    "ran": "on", "rattled": "on", "rambled": "on", "rapped": "out", "flung": "out",
    "threw": "in", "bursting": "out forth", "pulled": "up", "led": "off on", "spoke": "up out",
    "fired": "up off", "flashed": "out", "started": "off in", "jerked": "out", "gave": "out",
    "sang": "out", "pointed": "out", "drew": "out", "wound": "up", "summed": "up",
}  # fmt: skip
"""Verbs that say that someone speaks with one of these words behind them."""


def _forms(lemma: str) -> Iterator[str]:
    stem = lemma.rstrip("+")
    yield stem
    doubled = stem + stem[-1] if lemma.endswith("+") else stem
    if stem.endswith("e"):
        yield from (stem + "s", stem + "d", (stem if stem[-2] in "eo" else stem[:-1]) + "ing")
    elif stem.endswith("y") and stem[-2] not in "aeiou":
        yield from (stem[:-1] + "ies", stem[:-1] + "ied", stem + "ing")
    else:
        es = "es" if stem.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"
        yield from (stem + es, doubled + "ed", doubled + "ing")


def _inflected(lemmas: Sequence[str]) -> frozenset[str]:
    return frozenset(form for lemma in lemmas for form in _forms(lemma))


def _irregular(*past: str) -> frozenset[str]:
    return frozenset(form for each in past for form in (each, *_IRREGULAR[each].split()))


SPEECH = _inflected(_SPEECH) | _irregular("said", "sang", "swore", "told", "forbade")
SPEECH |= {"quoth", "besought", "beseeched", "beseeching", "lied", "lying", "ses", "pled"}
"""Forms of verbs that say that someone speaks, wherever they stand beside a quotation."""

_BASES = frozenset(lemma.rstrip("+") for lemma in _SPEECH) | {"say", "tell", "sing", "swear"}

WEAK = _inflected(_WEAK) | _irregular(
    "began", "broke", "felt", "rang", "read", "rose", "shook", "spoke", "thought", "went", "wrote"
)
_SPEAKING = _inflected(["begin+", "continue", "proceed", "conclude", "resume"])
_SPEAKING |= _irregular("began", "spoke", "thought")

"""Forms of verbs that say so only where the punctuation says it too."""

_NOUNS = frozenset(
    "answer answers cry exclamation inquiry enquiry observation question rejoinder remark "
    "remarks language reply response retort sentence voice words word comment conclusion tone "
    "tones thought whisper demand suggestion ejaculation greeting".split()
)
"""Nouns of speech: "was his answer", "Emma's voice"."""

_FEMALE = frozenset(
    "she actress aunt auntie baroness bride cook countess dame damsel daughter duchess empress "
    "female girl goddess governess grandmamma grandmother granddaughter granny heiress heroine "
    "hostess housekeeper housemaid lady landlady madam madame maid maiden mama mamma marchioness "
    "matron mistress mother mother-in-law niece nun nurse nursemaid parlourmaid princess queen "
    "schoolmistress sister sister-in-law spinster stepmother widow wife woman miss mrs "
    "mademoiselle countrywoman gentlewoman washerwoman charwoman ladyship".split()
)
_MALE = frozenset(
    "he abbe actor admiral baron baronet bishop boy brother brother-in-law butler captain chap "
    "clergyman coachman colonel constable count curate detective doctor duke earl emperor father "
    "father-in-law fellow fireman footman general gentleman grandfather grandpapa groom "
    "headmaster hero host husband inspector king knight lad lieutenant landlord lord major "
    "lordship man marquis master minister monk monsieur nephew officer papa parson policeman "
    "porter priest prince professor rector schoolmaster sergeant sir sire soldier son squire "
    "surgeon tutor uncle vicar waiter widower mr workman youth".split()
)
_PERSONS = _FEMALE | _MALE | frozenset(
    "attendant author child clerk companion cousin creature driver foreigner friend guest "
    "lawyer listener lover messenger neighbour other others owner passenger patient person "
    "philosopher physician poet reader relative secretary servant sinner speaker stranger "
    "student teacher traveller visitor voice writer crowd party parent ones one".split()
)  # fmt: skip

_COPULAS = frozenset("was were is are came rose ran comes runs rang followed".split())
"""Verbs whose subject may follow them: "was his answer", "came Emma's voice"."""

_NOMINATIVE = {
    "he": Gender.MALE, "she": Gender.FEMALE, "i": Gender.UNKNOWN, "they": Gender.UNKNOWN,
    "we": Gender.UNKNOWN,
}  # fmt: skip
_POSSESSIVE = frozenset("my his her their our its your".split())
_DETERMINERS = _POSSESSIVE | frozenset(
    "the a an this that these those another one some each both every any no".split()
)
_EPITHETS = ABBREVIATED | frozenset(
    "poor old little young dear good honest big great fat stout worthy unhappy sweet brave "
    "gentle wise excellent pretty proud gallant stern mr mrs miss sir lady dr the m mme mlle "
    "captain colonel aunt uncle father mother cousin sister brother".split()
)
"""Words that stand between a verb and the name that is its subject."""

_PREPOSITIONS = frozenset(
    "about above across after against along amid among around at before behind below beneath "
    "beside besides between beyond by concerning despite during for from in inside into like "
    "near of off on onto opposite out outside over past regarding round than through to toward "
    "towards under unlike until up upon via with within without".split()
)
_SUBORDINATORS = frozenset(
    "as when while whilst if that which who whom whose because since though although before "
    "after until till where whereas wherever whenever what whatever how why than unless whether "
    "once lest moment".split()
)
_CUTS = frozenset("which that if because when until till where how what than whose".split())
"""Words after which a verb of speech no longer belongs to the quotation before."""

_OPENERS = frozenset(
    "and but then so for yet now or nor still thus here there suddenly however meanwhile again "
    "also only even just perhaps presently afterwards therefore indeed instead soon once last "
    "length first moment later next often sometimes".split()
)
_SKIPPED = frozenset(
    "had has have would could might must should may can will shall did does do was is are were "
    "am been be being to not never then only just now still again also always once soon almost "
    "even thus suddenly at last length first then often sometimes afterwards presently "
    "immediately instantly all both rather quite merely here therefore straight forthwith "
    "himself herself myself themselves aloud further more ever already quickly too "
    "nevertheless however next scarcely hardly half help but cannot".split()
)
"""Words that stand between a subject and its verb."""

_FUNCTION_WORDS = _PREPOSITIONS | _SUBORDINATORS | _SKIPPED

_NEGATIONS = frozenset({"not", "never", "nothing", "without", "n't", "nor", "no"})
_CANNOT = frozenset("help but forbear refrain resist".split())
"""What turns a negation round: "could not help saying"."""

_TELLING = frozenset("that to of about how what whether why".split())
"""Words after a verb of speech that say at once what was said."""

_REFLEXIVE = frozenset("himself herself myself themselves".split())

_TOKEN = re.compile(
    r"(?P<poss>['’]s?(?![^\W_]))|(?P<word>[^\W_]+(?:['’-][^\W_]+)*)|(?P<mark>-{2,}|[.,;:!?…—–()\[\]])"
)
_BLOCK = re.compile(r"\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_MARKS = " \t\r\n\"'“”‘’«»`_*"
_ENDS = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Cue:
    """How the novel says who says a quotation.

    span is the words that say so, from subject to verb. who is a place in the cast: of the
    one named by an explicit cue, None for a name of nobody in it; for an anaphoric cue of
    the narrator ("I said") or of one whom the cast lists by that description ("said the old
    man"). gender is theirs, or that of the pronoun or the noun.
    """

    kind: QuoteKind
    span: Span | None
    who: int | None
    gender: Gender


_SPOUSE = re.compile(r"\b(his|her)\s+(?:\w+\s+)?(?:wife|lady|husband)\b", re.IGNORECASE)
_MARRIED_TITLES = {"mrs": Gender.FEMALE, "lady": Gender.FEMALE, "mr": Gender.MALE}
_NAMED_BEFORE = 12
"""Names looked back at for whose wife or husband is meant."""

NO_CUE = Cue(QuoteKind.IMPLICIT, None, None, Gender.UNKNOWN)


def find(
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    mentions: Sequence[Mention],
) -> list[Cue]:
    """The cue of each quotation, in their order.

    mentions are the places of names, in text order. A verb of speech decides before mere
    punctuation does; of several the one before the quotation, then the first one behind a
    piece. Takes time linear in the text and the number of quotations.
    """
    narrator = next((who for who, each in enumerate(cast) if each.narrator), None)
    reader = _Reader(text, mentions, narrator, cast, _shared(cast, mentions))
    surroundings = _surroundings(text, quotations)
    found = [_cue(reader, each, surroundings) for each in quotations]
    return list(_with_spouses(found, text, quotations, cast, mentions))


def _with_spouses(
    found: Sequence[Cue],
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    mentions: Sequence[Mention],
) -> Iterator[Cue]:
    """The cues, those of "his wife" and "her husband" with who that is: the Mrs. or Mr. of the
    one who is called in the quotation, or else was named last, and whom the pronoun fits."""
    married: dict[tuple[Gender, str], int] = {}
    for who, character in enumerate(cast):
        for name in map(words, character.aliases):
            if len(name) > 1 and name[0] in _MARRIED_TITLES:
                married.setdefault((_MARRIED_TITLES[name[0]], name[-1]), who)
    for cue, quotation in zip(found, quotations, strict=True):
        said = _SPOUSE.search(cue.span.of(text)) if cue.span and cue.who is None else None
        if said is None or cue.span is None:
            yield cue
            continue
        owner = Gender.MALE if said[1].lower() == "his" else Gender.FEMALE
        at = bisect_left(mentions, cue.span.start, key=lambda each: each.span.start)
        near = reversed(mentions[max(0, at - _NAMED_BEFORE) : at])
        called = vocatives(text, quotation, mentions)
        whose = next(
            (
                each
                for each in (*called, *(mention.who for mention in near))
                if cast[each].gender is owner
            ),
            None,
        )
        names = [] if whose is None else map(words, cast[whose].aliases)
        spouse = next(
            (
                married[cue.gender, name[-1]]
                for name in names
                if name and (cue.gender, name[-1]) in married
            ),
            None,
        )
        yield cue if spouse is None else replace(cue, who=spouse)


def vocatives(text: str, quotation: Quotation, mentions: Sequence[Mention]) -> list[int]:
    """The characters whom a quotation addresses by name, as they come, each once.

    mentions are the places of names, in text order. A name is an address where marks or the
    ends of the speech part it from the sentence ("Well, Jane, who is it from?"), and not
    where it is listed with others or explained.
    """
    found: dict[int, None] = {}
    for piece in quotation.pieces:
        at = bisect_left(mentions, piece.start, key=lambda each: each.span.start)
        while at < len(mentions) and mentions[at].span.end <= piece.end:
            if _addressed(text, piece, mentions[at].span):
                found[mentions[at].who] = None
            at += 1
    return list(found)


def _shared(cast: Sequence[Character], mentions: Sequence[Mention]) -> Mapping[str, Sequence[int]]:
    """For each word of a name the characters who have it, the one named most often first."""
    named = Counter(each.who for each in mentions)
    owners: dict[str, dict[int, None]] = defaultdict(dict)
    for who in sorted(range(len(cast)), key=lambda who: -named[who]):
        for alias in cast[who].aliases:
            name = words(alias)
            if not name or name[0] in _DETERMINERS:
                continue
            for word in name:
                if word not in TITLES and len(word) > 2:
                    owners[word].setdefault(who)
    return {word: tuple(several) for word, several in owners.items()}


def blocks(text: str) -> list[Span]:
    """The paragraphs of a text: what blank lines part."""
    return [Span(*found.span()) for found in _BLOCK.finditer(text)]


class _Token(NamedTuple):
    word: str  # folded; a name as it reads
    kind: str  # word, name, poss or mark
    start: int
    end: int
    who: int
    capital: bool


class _Subject(NamedTuple):
    start: int
    end: int
    who: int | None
    gender: Gender
    named: bool
    person: bool = True  # sure to mean somebody


class _Found(NamedTuple):
    subject: _Subject
    span: Span
    sure: bool  # a verb of speech, not only the punctuation


class _Around(NamedTuple):
    """The narration on both sides of a piece, within its paragraph."""

    before: Span
    after: Span


@dataclass(frozen=True, slots=True)
class _Reader:
    """A text as tokens in which each name is one."""

    text: str
    mentions: Sequence[Mention]
    narrator: int | None
    cast: Sequence[Character]
    shared: Mapping[str, Sequence[int]]

    def likely(self, word: str, gender: Gender) -> int | None:
        """Whom a name that several have most often means."""
        for who in self.shared.get(word, ()):
            known = self.cast[who].gender
            if gender is known or Gender.UNKNOWN in (gender, known):
                return who
        return None

    def tokens(self, span: Span) -> list[_Token]:
        found: list[_Token] = []
        at = span.start
        index = bisect_left(self.mentions, span.start, key=lambda each: each.span.start)
        while at < span.end:
            name = self.mentions[index] if index < len(self.mentions) else None
            if name is None or name.span.end > span.end:
                found += self._words(at, span.end)
                break
            found += self._words(at, name.span.start)
            found.append(self._name(name))
            at = max(at, name.span.end)
            index += 1
        return found

    def _name(self, name: Mention) -> _Token:
        word = name.span.of(self.text)
        first, _, rest = word.partition(" ")
        proper = not (rest if first.lower() in _DETERMINERS else word).islower()
        return _Token(word, "name", name.span.start, name.span.end, name.who, proper)

    def _words(self, start: int, end: int) -> Iterator[_Token]:
        for each in _TOKEN.finditer(self.text, start, end):
            word = each.group()
            kind = "poss" if word == "s" else each.lastgroup or ""  # an apostrophe may be lost
            yield _Token(word.lower(), kind, each.start(), each.end(), -1, word[0].isupper())


def _surroundings(text: str, quotations: Sequence[Quotation]) -> dict[Span, _Around]:
    paragraphs = blocks(text) or [Span(0, len(text))]
    starts = [0, *(each.start for each in paragraphs[1:])]
    ends = [each.end for each in paragraphs]
    pieces = sorted({piece for each in quotations for piece in each.pieces})
    around = {}
    reached = 0
    for number, piece in enumerate(pieces):
        first = bisect_right(starts, piece.start) - 1
        last = bisect_right(starts, max(piece.start, piece.end - 1)) - 1
        begin, end = starts[first], max(ends[last], piece.end)
        alone = reached <= begin
        before = Span(min(max(reached, begin, piece.start - REACH), piece.start), piece.start)
        follower = pieces[number + 1].start if number + 1 < len(pieces) else len(text)
        after = Span(piece.end, max(piece.end, min(follower, end, piece.end + REACH)))
        if alone and not before.of(text).strip(_MARKS) and first > 0:
            # "He thought, and said:" may stand in a paragraph of its own.
            before = Span(max(reached, starts[first - 1], piece.start - REACH), ends[first - 1])
            before = Span(min(before.start, before.end), before.end)
            if not _leads(before.of(text)):
                before = Span(piece.start, piece.start)
        around[piece] = _Around(before, after)
        reached = max(reached, piece.end)
    return around


def _leads(paragraph: str) -> bool:
    """Whether a paragraph ends as one that goes on with speech, and is no heading."""
    plain = paragraph.rstrip(_MARKS)
    if plain[-1:] in _ENDS:
        return False
    return plain[-1:] in (",", ":", ";", "-", "—", "–") or plain[plain.rfind(" ") + 1 :].islower()


def _cue(reader: _Reader, quotation: Quotation, surroundings: dict[Span, _Around]) -> Cue:
    unsure = None
    for found in _readings(reader, quotation, surroundings):
        if found.sure:
            return _said(found, reader)
        unsure = unsure or found
    return _said(unsure, reader) if unsure else NO_CUE


def _readings(
    reader: _Reader, quotation: Quotation, surroundings: dict[Span, _Around]
) -> Iterator[_Found]:
    for number, piece in enumerate(quotation.pieces):
        around = surroundings[piece]
        last = piece.of(reader.text).rstrip(_MARKS)[-1:]
        if number == 0:
            found = _ahead(reader, around.before)
            if found:
                yield found
        found = _behind(reader, around.after, last)
        if found:
            yield found


def _said(found: _Found, reader: _Reader) -> Cue:
    subject = found.subject
    gender = subject.gender if subject.who is None else reader.cast[subject.who].gender
    if subject.named:
        return Cue(QuoteKind.EXPLICIT, found.span, subject.who, gender)
    return Cue(QuoteKind.ANAPHORIC, found.span, subject.who, gender)


def _behind(reader: _Reader, span: Span, last: str) -> _Found | None:
    """What the narration behind a piece that ends in a character says."""
    tokens = reader.tokens(span)
    while tokens and tokens[0].kind == "mark" and tokens[0].word not in _ENDS:
        del tokens[0]
    tokens = tokens[: _sentence_end(tokens, 0)]
    if not tokens:
        return None
    clause = tokens[: _clause_end(tokens)]
    # After a full stop, or with a capital that is no name's, a new sentence begins.
    open_ = last not in _ENDS or (clause[0].kind == "word" and not clause[0].capital)
    for at in range(len(clause)):
        if clause[at].kind == "word" and _skips(clause[at]):
            continue
        found = _inverted(reader, clause, at, open_)
        if found:
            return found
        break
    for at, token in enumerate(clause):
        if at and token.kind == "word" and token.word in _CUTS:
            break
        strength = _speaks(clause, at)
        if strength == 2 or (strength == 1 and (open_ or _bare(clause, at))):
            subject = _subject(reader, clause, at, 0)
            if subject:
                return _Found(subject, _cover(subject, token), True)
    noun = _noun(reader, clause)
    if noun:
        return noun
    if last in (",", ""):
        subject = _phrase(reader, clause, 0)
        if subject and subject.person:
            return _Found(subject, Span(subject.start, subject.end), False)
    return None


def _bare(tokens: Sequence[_Token], verb: int) -> bool:
    """Whether a verb stands alone or with "to himself"."""
    after = [each.word for each in tokens[verb + 1 : verb + 3]]
    if tokens[verb].word not in _SPEAKING:
        return False
    return not after or not after[0][0].isalnum() or after[-1] in _REFLEXIVE


def _ahead(reader: _Reader, span: Span) -> _Found | None:
    """What the narration before a piece says: "Elizabeth, smiling, cried:"."""
    tokens = reader.tokens(span)
    if not tokens:
        return None
    mark = tokens[-1].word if tokens[-1].kind == "mark" else ""
    if mark in _ENDS:
        return _stopped(reader, tokens[:-1])
    leads = mark in (",", ":", "--", "—", "–", ";")
    start = 0
    while True:
        end = _sentence_end(tokens, start)
        if end >= len(tokens) - 1:
            break
        start = end + 1
    for at in range(len(tokens) - 1, start - 1, -1):
        strength = _speaks(tokens, at)
        if strength == 2 or (strength == 1 and leads):
            subject = _subject(reader, tokens, at, start)
            if subject is None and at + 1 < len(tokens):
                subject = _phrase(reader, tokens, at + 1)
                if subject and not subject.person:
                    subject = None
            if subject:
                return _Found(subject, _cover(subject, tokens[at]), True)
    if leads and mark != ";":
        found = _noun(reader, tokens[start:])
        if found:
            return found
        subject = _clause_subject(reader, tokens, start, len(tokens))
        if subject:
            return _Found(subject, Span(subject.start, subject.end), False)
    return None


def _stopped(reader: _Reader, tokens: Sequence[_Token]) -> _Found | None:
    """ "Tony protested." before a speech: the last sentence, where it tells no more of it."""
    start = 0
    while (end := _sentence_end(tokens, start)) < len(tokens):
        start = end + 1
    for at in range(start, len(tokens)):
        token = tokens[at]
        if not _speaks(tokens, at) or (token.word in WEAK and token.word not in _SPEAKING):
            continue
        if at + 1 < len(tokens) and tokens[at + 1].word in _TELLING:
            return None
        subject = _subject(reader, tokens, at, start)
        return _Found(subject, _cover(subject, token), False) if subject else None
    return None


def _inverted(reader: _Reader, tokens: Sequence[_Token], at: int, open_: bool) -> _Found | None:
    """ "said Emma" at the beginning of the words behind a piece."""
    token = tokens[at]
    strength = _speaks(tokens, at)
    if token.kind != "word" or (token.capital and not open_):
        return None
    if not strength and not (open_ and token.word.endswith("ed")):
        return None
    if token.word.endswith("ing"):
        return None
    after = at + 1
    while (
        after < len(tokens)
        and tokens[after].kind == "word"
        and (
            tokens[after].word in ("out", "in", "on", "up", "again", "back", "forth", "then")
            or tokens[after].word.endswith("ly")
        )
    ):
        after += 1
    subject = _phrase(reader, tokens, after, behind_verb=strength > 0)
    if subject is None or not (strength or subject.person):
        return None
    return _Found(subject, _cover(subject, token), True)


def _noun(reader: _Reader, tokens: Sequence[_Token]) -> _Found | None:
    """ "was his answer", "came Emma's voice": whose words they are."""
    for at, token in enumerate(tokens):
        if token.word not in _NOUNS or token.kind != "word":
            continue
        for back in range(at - 1, max(-1, at - 5), -1):
            owner = tokens[back]
            if owner.kind == "mark":
                break
            first = back - 1 if owner.kind == "poss" and back else back
            if not (_free(tokens, first, 0) or tokens[first - 1].word in _COPULAS):
                continue
            if owner.kind == "poss" and back and tokens[back - 1].kind == "name":
                name = tokens[back - 1]
                subject = _Subject(name.start, name.end, name.who, Gender.UNKNOWN, True)
                return _Found(subject, Span(name.start, token.end), True)
            if owner.word in ("his", "her", "my"):
                subject = _pronoun(
                    reader, owner, {"his": "he", "her": "she", "my": "i"}[owner.word]
                )
                return _Found(subject, Span(owner.start, token.end), True)
    return None


def _speaks(tokens: Sequence[_Token], at: int) -> int:
    """2 for a verb of speech, 1 for one that may be, 0 for another word."""
    token = tokens[at]
    if token.kind != "word":
        return 0
    before = tokens[at - 1].word if at else ""
    follower = tokens[at + 1].word if at + 1 < len(tokens) else ""
    if follower in _NEGATIONS:
        return 0
    lately = [each.word for each in tokens[max(0, at - 3) : at]]
    if not _NEGATIONS.isdisjoint(lately[-2:]) and _CANNOT.isdisjoint(lately):
        return 0
    if before in _DETERMINERS or before == "of":  # "an answer", "the remark"
        return 0
    if token.word in SPEECH:
        return 2
    if token.word in _PARTICLES and follower in _PARTICLES[token.word].split():
        return 2
    return 1 if token.word in WEAK else 0


def _subject(reader: _Reader, tokens: Sequence[_Token], verb: int, start: int) -> _Subject | None:
    """Who does what a verb says, where the subject goes before it."""
    at = verb - 1
    while at >= start and tokens[at].kind == "word" and _skips(tokens[at]):
        at -= 1
    if at < start:
        return None
    for back in range(verb - 1, start, -1):
        if tokens[back].kind == "mark":
            break
        if tokens[back].word == "who":
            name = tokens[back - 1 if tokens[back - 1].word != "," else max(start, back - 2)]
            if name.kind == "name":
                return _named(name)
            break
    token = tokens[at]
    before = tokens[at - 1] if at > start else None
    if tokens[verb].word in _BASES and token.word in ("him", "her"):  # "heard him say"
        return _pronoun(reader, token, "he" if token.word == "him" else "she")
    if token.kind == "name" and (before is None or before.word not in _PREPOSITIONS):
        return _named(token)
    if token.word in _NOMINATIVE:
        return _pronoun(reader, token, token.word)
    if token.kind == "word":
        strange = _strange(reader, token)
        if strange:
            return strange
        for back in range(at, max(start - 1, at - 6), -1):
            if tokens[back].kind == "mark":
                break
            if tokens[back].word in _DETERMINERS or tokens[back].kind == "poss":
                first = back - 1 if tokens[back].kind == "poss" and back > start else back
                if first > start and tokens[first - 1].word in _PREPOSITIONS | {"and"}:
                    break
                if (
                    back > start
                    and tokens[first - 1].kind == "word"
                    and not _free(tokens, first, start)
                ):
                    break
                phrase = _phrase(reader, tokens, first)
                if phrase and phrase.person and phrase.end >= token.end:
                    return phrase
                break
    return _clause_subject(reader, tokens, start, verb)


class _Candidate(NamedTuple):
    subject: _Subject
    hangs: bool  # on another clause: "as he spoke"
    apart: bool  # a comma parts it from its verb: "Elizabeth, smiling, cried"


def _clause_subject(
    reader: _Reader, tokens: Sequence[_Token], start: int, verb: int
) -> _Subject | None:
    """The subject of a verb that does not stand beside it, among tokens[start:verb]."""
    found = list(_candidates(reader, tokens, start, verb))
    if not found:
        return None
    if verb < len(tokens) and tokens[verb].word.endswith("ing"):
        return found[-1].subject
    at = verb - 1
    while at > start and tokens[at].kind == "word" and _skips(tokens[at]):
        at -= 1
    if tokens[at].word == ",":
        for each in reversed(found):
            if each.apart:
                return each.subject
            if not each.hangs:
                break
    main = [each.subject for each in found if not each.hangs]
    hanging = [each.subject for each in found if each.hangs]
    if main and hanging and not _one(main[-1]):
        return hanging[-1]
    return main[-1] if main else hanging[0]


def _candidates(
    reader: _Reader, tokens: Sequence[_Token], start: int, end: int
) -> Iterator[_Candidate]:
    for at in range(start, end):
        token = tokens[at]
        if (
            at > start + 1
            and tokens[at - 1].word == "and"
            and (tokens[at - 2].kind == "name" or tokens[at - 2].word in _NOMINATIVE)
        ):
            continue  # "where she and Eleanor were sitting"
        hangs = at > start and tokens[at - 1].word in _SUBORDINATORS
        free = _free(tokens, at, start)
        if token.word in _NOMINATIVE and token.kind == "word":
            found: _Subject | None = _pronoun(reader, token, token.word)
            hangs = hangs or not free
        elif free or hangs:
            found = _phrase(reader, tokens, at)
        else:
            continue
        if found and found.person:
            after = next((each for each in tokens[at:end] if each.start >= found.end), None)
            yield _Candidate(found, hangs, after is not None and after.word == ",")


def _one(subject: _Subject) -> bool:
    """Whether a subject is a single person, as far as can be seen."""
    return subject.named or subject.who is not None or subject.gender is not Gender.UNKNOWN


def _free(tokens: Sequence[_Token], at: int, start: int) -> bool:
    """Whether a subject may begin at a token: nothing before it governs it."""
    if at == start:
        return True
    before = tokens[at - 1]
    if before.kind == "mark":
        return before.word not in "()[]"
    return before.kind == "word" and (before.word in _OPENERS or before.word.endswith("ly"))


def _phrase(
    reader: _Reader, tokens: Sequence[_Token], at: int, behind_verb: bool = False
) -> _Subject | None:
    """The name, pronoun or description that begins at a token.

    Behind a verb of speech any word with a capital is a name, whether of the cast or not.
    """
    if at >= len(tokens):
        return None
    first = tokens[at]
    if first.kind == "name":
        return _owned(tokens, at, at) or _named(first)
    if first.kind != "word":
        return None
    if first.word in _NOMINATIVE:
        return _pronoun(reader, first, first.word)
    if first.word in _DETERMINERS:
        return _description(tokens, at)
    back = at
    while back < len(tokens) - 1 and tokens[back].word in _EPITHETS:
        back += 1
        if tokens[back].word == ".":
            back += 1
            if back == len(tokens):
                return None
        if tokens[back].kind == "name":
            return _owned(tokens, at, back) or _named(tokens[back])
    if behind_verb and first.capital:
        end = at
        while end + 1 < len(tokens) and (
            (tokens[end + 1].capital and tokens[end + 1].kind == "word")
            or (tokens[end + 1].word == "." and tokens[end].word in ABBREVIATED)
        ):
            end += 1
        gender = _gender(first.word)
        who = reader.likely(tokens[end].word, gender)
        return _Subject(first.start, tokens[end].end, who, gender, True)
    return None


def _strange(reader: _Reader, token: _Token) -> _Subject | None:
    """A single name that several of the cast have."""
    if token.kind != "word" or not token.capital:
        return None
    who = reader.likely(token.word, Gender.UNKNOWN)
    return None if who is None else _Subject(token.start, token.end, who, Gender.UNKNOWN, True)


def _description(tokens: Sequence[_Token], at: int) -> _Subject | None:
    """ "the old man", "her father's butler", "his sister Jane"."""
    gender, end, person = Gender.UNKNOWN, at, False
    for back in range(at + 1, min(len(tokens), at + 7)):
        token = tokens[back]
        if token.kind == "name":
            if (person and tokens[back - 1].kind == "word") or not person:
                return _owned(tokens, at, back) or _named(token)
            break
        if token.kind == "poss":
            gender, person = Gender.UNKNOWN, False
            continue
        if token.kind == "mark" or token.word in _FUNCTION_WORDS:
            break
        if token.word in SPEECH or (person and token.word in WEAK) or token.word in _NOMINATIVE:
            break
        if person and token.word not in _PERSONS and token.word.endswith(("ly", "ed", "ing")):
            break
        end = back
        noun = _gender(token.word)
        if noun is not Gender.UNKNOWN or token.word in _PERSONS:
            gender, person = noun, True
    if end == at:
        return None
    owner = {"his": Gender.MALE, "her": Gender.FEMALE}.get(tokens[at].word)
    if tokens[end].word in _NOUNS and owner:
        gender = owner
    return _Subject(tokens[at].start, tokens[end].end, None, gender, False, person)


def _owned(tokens: Sequence[_Token], at: int, name: int) -> _Subject | None:
    """ "Emma's father" is somebody else; "Emma's voice" is Emma."""
    if name + 2 >= len(tokens) or tokens[name + 1].kind != "poss":
        return None
    for back in range(name + 2, min(len(tokens), name + 5)):
        if tokens[back].word in _NOUNS:
            return _named(tokens[name])
        if tokens[back].kind == "name":
            return _named(tokens[back])
        if tokens[back].word in _PERSONS:
            gender = _gender(tokens[back].word)
            return _Subject(tokens[at].start, tokens[back].end, None, gender, False)
    return _Subject(tokens[at].start, tokens[name + 2].end, None, Gender.UNKNOWN, False, False)


def _named(token: _Token) -> _Subject:
    """A name; one without a capital ("the old man") is a description that the cast lists."""
    return _Subject(token.start, token.end, token.who, Gender.UNKNOWN, token.capital)


def _pronoun(reader: _Reader, token: _Token, word: str) -> _Subject:
    who = reader.narrator if word == "i" else None
    gender = _NOMINATIVE[word] if who is None else reader.cast[who].gender
    return _Subject(token.start, token.end, who, gender, False)


def _gender(word: str) -> Gender:
    if word in _FEMALE or word.endswith("woman"):
        return Gender.FEMALE
    if word in _MALE or (word.endswith("man") and word not in ("human", "roman", "german")):
        return Gender.MALE
    return Gender.UNKNOWN


def _skips(token: _Token) -> bool:
    return token.word in _SKIPPED or (token.word.endswith("ly") and not token.capital)


def _sentence_end(tokens: Sequence[_Token], start: int) -> int:
    """The place of the mark that ends the sentence, or the number of tokens."""
    for at in range(start, len(tokens)):
        token = tokens[at]
        if token.kind == "mark" and token.word in _ENDS:
            before = tokens[at - 1] if at else None
            short = before is not None and (before.word in ABBREVIATED or len(before.word) == 1)
            if not (token.word == "." and short and before is not None and before.word != "i"):
                return at
    return len(tokens)


def _clause_end(tokens: Sequence[_Token]) -> int:
    for at, token in enumerate(tokens):
        if token.kind == "mark" and token.word in (";", ":") and at:
            return at
    return len(tokens)


def _cover(subject: _Subject, verb: _Token) -> Span:
    return Span(min(subject.start, verb.start), max(subject.end, verb.end))


_LEAD = 40
"""Characters of a speech looked at before a name."""

_FORE = re.compile(
    r"(?:^|[.!?;:,…]|--|—|–)[\s\"'“”‘’_]*"
    r"(?:(?:my|oh|o|ah|ay|aye|well|now|but|yes|no|nay|good|thank|you|come|dear|dearest|"
    r"sweet|old|little|hullo|hello|hallo|look|here|see|why|so|for|then|please|bye|night|"
    r"morning|afternoon|evening|to)[\s,!]+)*$",
    re.IGNORECASE,
)
"""What stands before a name at which a speaker turns to somebody."""

_TITLE = re.compile(r"\b(?:mr|mrs|miss|dr|lady|sir|captain|colonel)\.?\s*$", re.IGNORECASE)
_AFT = re.compile(r"[\s_]*(?:$|[.!?;:,…]|--|—|–)")
_GOES_ON = re.compile(r"[\s_]*,[\s_]*(?:and|or|too|a|an|the|his|their)\b")
_CLAUSE = re.compile(r"[\s_]*,[\s_]*(?:who|whose|which)\b[^.!?]*(?:[.!]|$)")
"""What follows a name that is listed or explained: "Jane, who is here, knows."."""


def _addressed(text: str, piece: Span, name: Span) -> bool:
    start = max(piece.start, name.start - _LEAD)
    before = _TITLE.sub("", text[start : name.start])
    if start > piece.start:
        before = "x" + before  # the window's edge is not the beginning of the speech
    after = text[name.end : min(piece.end, name.end + 4 * _LEAD)]
    if not _AFT.match(after) or not _FORE.search(before):
        return False
    return not _GOES_ON.match(after) and not _CLAUSE.match(after)
