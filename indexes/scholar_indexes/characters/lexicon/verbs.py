"""Verbs: those that tell a deed or a fate, those that everybody does, and past forms."""

from __future__ import annotations

from scholar_indexes.speakers.cues import SPEECH

STATES = frozenset(
    "married engaged betrothed born bred educated apprenticed orphaned adopted buried drowned "
    "killed murdered hanged executed shot stabbed poisoned wounded arrested imprisoned transported "
    "tried convicted acquitted sentenced banished exiled disinherited ruined robbed kidnapped "
    "expelled dismissed elected appointed ordained promoted knighted crowned divorced jilted "
    "deserted abandoned rescued christened baptized baptised brought descended related employed "
    "acquainted addicted devoted attached".split()
)
"""Participles that with "was" tell what became of somebody."""

WANTING = frozenset(
    "related attached brought bred employed devoted addicted descended born engaged appointed "
    "acquainted tried".split()
)
"""States that say nothing without what they are in."""

TELLING = frozenset(
    "married eloped refused rejected proposed killed murdered shot stabbed strangled poisoned "
    "loved hated adored despised worshipped inherited adopted rescued saved betrayed stole robbed "
    "kissed taught nursed confessed forgave accused deserted abandoned jilted seduced courted "
    "wooed blackmailed kidnapped imprisoned escaped drowned hanged fainted died enlisted deceived "
    "cheated swindled forged defended avenged revenged fought wounded beat whipped flogged "
    "horsewhipped bit disinherited bequeathed bought sold built founded owned kept ruled governed "
    "commanded sailed emigrated preached painted sang composed wrote invented discovered studied "
    "practised gambled drank smoked limped stammered lisped squinted befriended educated employed "
    "dismissed hired engaged tricked bribed threatened denounced arrested buried mourned envied "
    "feared obeyed served accompanied invited visited nicknamed persuaded forbade insulted slapped "
    "struck knocked challenged duelled warned welcomed sheltered hid disguised burned burnt "
    "destroyed lent borrowed owed paid retired resigned separated divorced flirted danced rode "
    "hunted fished lived lodged dwelt resided".split()
)
"""Verbs that tell a deed or a way of life worth remembering."""

ALONE = frozenset(
    "eloped died drowned fainted enlisted emigrated married limped stammered lisped "
    "squinted".split()
)
"""Deeds that need no more words."""

DULL = frozenset(
    "was were is are be been had has have did does do could would should might may must shall will "
    "can said says looked turned went came sat stood rose smiled nodded laughed walked seemed "
    "appeared began continued stopped paused felt thought knew wished hoped supposed believed "
    "fancied imagined considered wondered expected tried ceased remained stayed started proceeded "
    "found glanced stared gazed listened waited shook bowed blushed frowned shrugged hesitated "
    "leaned leant got grew kept became let used needed dared ought happened chanced intended meant "
    "resolved determined decided agreed understood perceived observed noticed saw heard watched "
    "remembered recollected forgot wanted liked spoke talked read passed moved stepped drew "
    "advanced approached reached arrived entered left returned sighed wept cried bent lay slept "
    "awoke woke fell ran hurried hastened rushed followed led caught held dropped lifted raised "
    "laid put set opened closed shut pulled pushed pressed touched ate finished ended lost done "
    "seated dressed attired absorbed engrossed composed attempted endeavoured managed failed "
    "proved added gave took made brought sent told asked showed received met".split()
)
"""Verbs that everybody does; a few of them tell something with somebody named beside them."""

WITH_OTHERS = frozenset("gave took made brought sent showed received met left led caught".split())
"""Those of DULL that may be told when they are done to somebody who is named."""

SPEAKING = SPEECH - TELLING
"""Verbs that only say that somebody speaks."""

SUFFERED = frozenset(
    "restored propped seated dressed wrapped surrounded armed attended clothed attired posted "
    "placed laid supported absorbed engrossed composed bathed buried muffled bound chained "
    "covered".split()
)
"""Verbs that before a preposition are rather participles: "Hands propped against"."""

REPORTS = frozenset("believed said thought told knew heard supposed hoped feared wrote".split())
"""Verbs behind which "he" may be the one who is spoken of."""

KNOWING = frozenset("know hear say see ask think observe understand find tell learn".split())
"""Infinitives behind which what is known goes on in another clause."""

TELLING_SOMEBODY = frozenset("told thought knew believed saw heard called made".split())
"""Verbs behind which somebody and a name may be two: "told his sister Jane was ill"."""

IRREGULAR = frozenset(
    "arose ate awoke beat became began bent bet bit bled blew bore bought bound bred broke brought "
    "built burnt burst came cast caught chose clung cost crept cut dealt did drank drew dreamt "
    "drove dug dwelt fed fell felt fled flew flung forbade forgave forgot forsook fought found "
    "froze gave got grew ground had heard held hid hit hung hurt kept knelt knew laid lay leant "
    "leapt learnt led left lent let lit lost made meant met mistook overheard overcame overtook "
    "paid put quit ran rang read rent rid rode rose said sang sank sat saw sawed sent set shed "
    "shone shook shot showed shrank shut slept slid slew smelt smote sold sought sowed spat sped "
    "spent spilt split spoiled spoke sprang spread stole stood strode strove struck stuck stung "
    "sung sunk swam swept swore swung taught thought threw told took tore trod undertook "
    "understood undid upset wept went withdrew withstood woke won wore wound wove wrote was were "
    "overthrew foresaw befell betook bade bid besought thrust".split()
)
"""Past forms that follow no rule."""

PARTICIPLES = frozenset(
    "arisen awoken beaten become begun bitten blown borne born broken chosen come done drawn drunk "
    "driven eaten fallen flown forbidden forgiven forgotten forsaken frozen given gone grown "
    "hidden known lain mistaken ridden risen run seen shaken shown shrunk slain sprung stolen "
    "striven stricken sworn swum taken thrown torn trodden undertaken woken worn woven written "
    "withdrawn overcome overthrown undone".split()
)
"""Participles that are no past forms."""

NOT_VERBS = frozenset(
    "indeed hundred red bed bleed breed speed seed weed need sacred naked wicked wretched hatred "
    "kindred bobbed aged beloved blessed learned crooked rugged ragged sled shed feed deed reed "
    "steed exceed proceed succeed kind ground wound".split()
)
"""Words that only look like past forms."""


def is_past(word: str) -> bool:
    """Whether a folded word may be a past form."""
    return word in IRREGULAR or (
        word.endswith("ed")
        and len(word) > 3
        and "-" not in word
        and word not in NOT_VERBS
        and not word.endswith("eed")
    )


def is_participle(word: str) -> bool:
    return word in PARTICIPLES or is_past(word)
