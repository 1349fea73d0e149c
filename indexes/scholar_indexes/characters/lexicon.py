"""Words that tell who somebody is, for reading novels without a parser: closed classes, kin,
callings, lasting traits and verbs in the past tense."""

from __future__ import annotations

from scholar_indexes.types import Gender

FEMALE_KIN = frozenset(
    "mother sister daughter wife aunt niece grandmother granddaughter widow stepmother step-mother "
    "stepdaughter step-daughter mother-in-law sister-in-law daughter-in-law goddaughter "
    "god-daughter godmother half-sister stepsister foster-mother foster-sister bride great-aunt "
    "grandmamma grandmama mamma mama".split()
)
MALE_KIN = frozenset(
    "father brother son husband uncle nephew grandfather grandson stepfather step-father stepson "
    "step-son father-in-law brother-in-law son-in-law godson godfather half-brother stepbrother "
    "foster-father foster-brother bridegroom widower great-uncle grandpapa papa".split()
)
KIN = FEMALE_KIN | MALE_KIN | frozenset("cousin child twin betrothed fiancé fiancée".split())
"""What somebody is to a relative."""

TIES = frozenset(
    "friend servant maid housemaid housekeeper cook nurse governess tutor teacher master mistress "
    "guardian ward partner lover sweetheart suitor admirer enemy rival neighbour neighbor guest "
    "host hostess landlord landlady tenant lodger employer clerk secretary assistant apprentice "
    "pupil schoolfellow companion playfellow playmate confidant confidante favourite favorite heir "
    "heiress protector benefactor benefactress patron patroness physician doctor lawyer attorney "
    "solicitor banker valet footman butler coachman groom gardener steward agent successor "
    "predecessor colleague comrade accomplice victim prisoner slave squire associate acquaintance "
    "schoolmaster schoolmistress confessor chaplain captain lieutenant counsel trustee bailiff "
    "gamekeeper shepherd foreman overseer page jailer gaoler".split()
)
"""What somebody is to anybody else."""

CALLINGS = frozenset(
    "actor actress admiral ambassador apothecary archdeacon architect artist astronomer auctioneer "
    "author authoress baker ballad-singer barber baron baronet baroness barrister beadle beggar "
    "bishop blacksmith boatman boatswain bookseller bootmaker botanist boxer brewer bricklayer "
    "builder burglar butcher cabman captive carpenter carrier carter chambermaid charwoman chemist "
    "chief clergyman coachmaker cobbler colonel composer conductor constable convict cooper "
    "coroner corporal cottager count countess courtier cowherd criminal cripple curate customer "
    "dancer dancing-master deacon dealer dean detective dentist director dressmaker drover "
    "druggist drummer duchess duke dustman earl editor emperor engineer ensign esquire executioner "
    "explorer farmer fiddler financier fireman fisherman footboy footpad forger gambler "
    "gentlewoman general gipsy goldsmith governor grave-digger gravedigger grocer gunner hangman "
    "harpooneer harpooner harlequin hatter herdsman hermit highwayman historian hosier housewife "
    "hunter hussar inn-keeper innkeeper inspector inventor jeweller jockey joiner journalist judge "
    "juggler justice king knight laborer labourer laundress lawyer-clerk lecturer librarian "
    "linendraper locksmith lord magistrate major maltster manager manufacturer mariner marquis "
    "marshal mason matron mayor mechanic mercer merchant messenger midshipman midwife milkman "
    "miller milliner miner minister miser missionary money-lender moneylender monk monitor "
    "murderer murderess musician music-master naturalist nobleman notary novelist nun nursemaid "
    "officer orderly organist ostler outlaw painter parlourmaid parson pawnbroker peasant pedlar "
    "peer pensioner philosopher photographer pilot pirate planter ploughman poacher poet poetess "
    "policeman poisoner politician porter postman postmaster postmistress potter preacher premier "
    "priest priestess prince princess printer prioress professor proprietor publican publisher "
    "quartermaster queen ranger rector reporter robber ruffian sailor saddler scholar scientist "
    "sculptor seaman seamstress sempstress sergeant sexton sheriff shipbuilder shoemaker "
    "shopkeeper shopman shopwoman singer smith smuggler soldier spinster spy statesman stationer "
    "steersman stenographer steward stockbroker stoker student surgeon surveyor swindler swordsman "
    "tailor tanner thief tinker tobacconist trader tradesman traitor traveller trooper turnkey "
    "typist undertaker usher usurer verger veteran vicar vintner viscount viscountess waiter "
    "waitress warder warrior washerwoman watchman watchmaker weaver whaler wheelwright witch "
    "wizard wood-carver woodcutter workman writer yeoman charity-boy".split()
)
"""What somebody is by trade, rank or fate."""

FEMALE_PEOPLE = frozenset("woman girl lady maiden lass dame gentlewoman spinster damsel".split())
MALE_PEOPLE = frozenset("man boy gentleman lad fellow youth bachelor chap".split())
PEOPLE = FEMALE_PEOPLE | MALE_PEOPLE | frozenset(
    "orphan foundling invalid person creature stranger foreigner native baby infant genius beauty "
    "villain rogue rascal hypocrite coward hero heroine saint fool idiot lunatic madman madwoman "
    "drunkard gossip flirt coquette spendthrift pauper american englishman englishwoman frenchman "
    "frenchwoman irishman irishwoman scotchman scotchwoman scotsman welshman italian german "
    "spaniard russian dutchman jew jewess quaker christian catholic protestant negro mulatto "
    "indian savage cannibal turk arab greek swiss swede norwegian".split()
)  # fmt: skip
"""Nouns for people that say little without what stands beside them."""

_FEMALE_CALLINGS = frozenset(
    "maid housemaid housekeeper nurse governess mistress hostess landlady confidante heiress "
    "benefactress patroness schoolmistress actress authoress baroness chambermaid charwoman "
    "countess dressmaker duchess housewife laundress matron midwife milliner murderess nursemaid "
    "nun parlourmaid poetess postmistress priestess princess prioress queen seamstress sempstress "
    "viscountess waitress washerwoman witch heroine jewess madwoman shopwoman englishwoman "
    "frenchwoman irishwoman scotchwoman coquette fiancée".split()
)
_MALE_CALLINGS = frozenset(
    "master landlord host valet footman butler coachman groom schoolmaster squire chaplain actor "
    "admiral baron baronet beadle bishop blacksmith boatman boatswain cabman clergyman colonel "
    "constable count curate dean deacon duke earl emperor fireman fisherman footboy friar "
    "gamekeeper general gentleman highwayman king knight lord major marquis mayor midshipman "
    "milkman monk nobleman officer parson policeman postman priest prince rector sailor seaman "
    "sergeant sheriff shopman soldier statesman steersman swordsman tradesman turnkey vicar "
    "viscount waiter wizard workman yeoman hero madman englishman frenchman irishman scotchman "
    "scotsman welshman dutchman bachelor suitor lieutenant captain corporal fiancé".split()
)
FEMALE = FEMALE_KIN | FEMALE_PEOPLE | _FEMALE_CALLINGS
MALE = MALE_KIN | MALE_PEOPLE | _MALE_CALLINGS

PERSONS = KIN | TIES | CALLINGS | PEOPLE
"""Nouns that a person may be called by, folded and singular."""


def gender(noun: str) -> Gender:
    """What a noun of PERSONS tells of its bearer."""
    if noun in FEMALE:
        return Gender.FEMALE
    return Gender.MALE if noun in MALE else Gender.UNKNOWN


TRAITS = frozenset(
    "affable agreeable aged ambitious amiable artful athletic awkward bald bashful beautiful "
    "benevolent blind blue-eyed bold bookish brave broad-shouldered brown-haired bulky cadaverous "
    "charitable charming childless clever clumsy coarse conceited consumptive corpulent courteous "
    "cowardly crippled cruel curly-haired dark dark-eyed dark-haired deaf deaf-and-dumb deformed "
    "delicate devout diffident dignified docile dogmatic dumb dwarfish eccentric educated eldest "
    "elderly elegant eloquent fair fair-haired famous fashionable fastidious fat feeble fickle "
    "flaxen-haired fond foppish formal fragile frivolous frugal gay naughty garrulous gaunt "
    "generous genteel gentle good-humoured good-looking good-natured good-tempered graceful "
    "gray-haired grey-haired greedy gullible half-witted handsome hard-hearted haughty headstrong "
    "hot-tempered humble hump-backed hypocritical idle ignorant illiterate ill-tempered "
    "illegitimate imaginative impetuous imperious impulsive indolent industrious ingenious insane "
    "insolent intelligent irritable jealous kind kind-hearted lame lanky lazy lean learned "
    "left-handed lively lonely long-legged loquacious loyal mad malicious married meek mercenary "
    "middle-aged mischievous miserly modest muscular musical narrow-minded near-sighted noble "
    "obstinate old one-eyed one-legged orphaned pale paralysed passionate patient pedantic "
    "penniless pious placid plain plump polite pompous poor popular portly practical pretty prim "
    "proud prudent pugnacious quarrelsome quick-tempered quiet rash reckless red-faced red-haired "
    "refined religious reserved resolute respectable rich romantic round-faced ruddy rustic sallow "
    "sarcastic scholarly scrupulous selfish self-made senile sensible sensitive sentimental "
    "sharp-tongued short short-sighted shrewd shy sickly silly simple sincere single slender slim "
    "slovenly small sober sociable stern stingy stout strict strong stubborn stupid sullen "
    "superstitious tactless talkative tall taciturn temperate thin thrifty timid toothless "
    "tyrannical ugly unmarried unpopular unscrupulous untidy upright vain vindictive virtuous "
    "vulgar weak wealthy well-bred well-educated well-known wicked widowed wild wise witty worldly "
    "wrinkled young youngest".split()
)
"""Adjectives for what somebody is for long."""

WEAK_TRAITS = frozenset(
    "dark fair fond formal gentle kind lively lonely mad noble old pale patient plain polite poor "
    "practical pretty proud quiet sensible short silly simple single small sober sullen strong "
    "stupid weak wild wise young bold charming clever dumb idle humble popular jealous agreeable "
    "irritable insolent".split()
)
"""Those that are said of a moment too, or of nearly everybody."""

STATES = frozenset(
    "married engaged betrothed born bred educated apprenticed orphaned adopted buried drowned "
    "killed murdered hanged executed shot stabbed poisoned wounded arrested imprisoned transported "
    "tried convicted acquitted sentenced banished exiled disinherited ruined robbed kidnapped "
    "expelled dismissed elected appointed ordained promoted knighted crowned divorced jilted "
    "deserted abandoned rescued christened baptized baptised brought descended related employed "
    "acquainted addicted devoted attached".split()
)
"""Participles that with "was" tell what became of somebody."""

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

SUFFERED = frozenset(
    "restored propped seated dressed wrapped surrounded armed attended clothed attired posted "
    "placed laid supported absorbed engrossed composed bathed buried muffled bound chained "
    "covered".split()
)
"""Verbs that before a preposition are rather participles: "Hands propped against"."""

WITH_OTHERS = frozenset("gave took made brought sent showed received met left led caught".split())
"""Those of DULL that may be told when they are done to somebody who is named."""

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

ARTICLES = frozenset({"the", "a", "an"})
POSSESSIVE = frozenset("his her my".split())
DETERMINERS = frozenset(
    "the a an his her my their its our your this that these those some any each every both no "
    "another all many several few two three four five six seven eight nine ten".split()
)
PREPOSITIONS = frozenset(
    "of in at on to with from for by into upon about against among around behind beside besides "
    "between beyond down during near off out over round through throughout toward towards under up "
    "within without across along above below past like despite opposite onto".split()
)
BOUNDS = frozenset(
    "and but or nor when while whilst because if than though although before after until till "
    "where whereas who which whom whose that lest since unless as so yet whenever wherever "
    "whereupon".split()
)
"""Words with which another clause or member begins."""

HEDGES = frozenset(
    "if unless whether perhaps perchance maybe suppose supposing would could might should may must "
    "seemingly apparently possibly probably dreamed dreamt dream imagined fancied pretended hoped "
    "feared wished expected lest".split()
)
"""Words behind which what is told may not be so."""

NEGATIONS = frozenset("not no never nothing nobody none neither nor cannot n't nowhere".split())
DOUBTS = frozenset("hardly scarcely barely almost nearly seldom rarely".split())
"""Words that nearly deny a verb beside them."""

UNRESOLVED = frozenset(
    "he she i you we they it him them us me its their our your mine yours theirs ours hers this "
    "that these those there here such so one ones others other latter former same what whatever "
    "everything anything something all both each either who whom which whose thus themselves "
    "ourselves myself itself yourself another".split()
)
"""Words that mean what only the sentence around them tells."""

AUXILIARIES = frozenset(
    "was were is are am be been being had has have did does do could would should might may must "
    "shall will can cannot".split()
)
ADVERBS = frozenset(
    "then now always once often soon also even still ever already again therefore however too just "
    "afterwards sometimes instantly straightway thereupon presently".split()
)
DEGREES = frozenset(
    "very rather quite extremely remarkably exceedingly uncommonly naturally decidedly "
    "particularly wonderfully singularly somewhat".split()
)
EPITHETS = frozenset("poor old young little dear good honest worthy big".split())
PETTY = frozenset("old young dear poor good little great".split())
UNFIT = frozenset(
    "other another such same supposed pretended imaginary mere first last only next very right "
    "wrong better worse so too more less own latter former like new second third perfect different "
    "certain strange possible sort kind".split()
)
"""Words in a noun phrase that mean nothing outside their sentence, or deny it."""

NUMBERS = frozenset(
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty "
    "forty fifty sixty seventy eighty ninety".split()
)


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


_ENDS = ("ful", "ous", "ive", "able", "ible", "ish", "less", "ic", "ant", "ent", "ary", "al",
         "ly", "ing", "ed", "est")  # fmt: skip


def may_describe(word: str) -> bool:
    """Whether a word that ends a phrase is rather an adjective, and a noun is to come."""
    return word in TRAITS or word in EPITHETS or word.endswith(_ENDS)
