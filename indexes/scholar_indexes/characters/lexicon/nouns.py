"""Nouns that tell who somebody is: kin, ties, callings and plain words for people."""

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

HAD = frozenset(
    "hair eyes eye nose face leg legs arm hand hands beard moustache voice figure complexion "
    "countenance scar limp stammer squint mouth teeth forehead whiskers wig lisp cough "
    "daughter daughters son sons child children wife husband brother brothers sister sisters "
    "mother father aunt uncle nephew niece cousin house farm estate shop school fortune income "
    "temper mind heart habit dog horse cat parrot pounds acres".split()
)
"""What somebody has for long."""

FAMILY = frozenset(
    "daughter daughters son sons child children wife husband brother brothers sister sisters "
    "scar limp stammer squint lisp beard moustache".split()
)
"""What is worth telling of somebody who has it, without more."""

EVERYDAY = frozenset(
    "hand hands head eyes eye lips lip arm arms shoulder shoulders forehead brow face hair finger "
    "fingers chin cheek cheeks foot feet knee knees neck throat nose mouth teeth breath voice tone "
    "colour color tears tear smile laugh nod glance look step steps way place seat chair table "
    "door window bell room rooms house hat cap gloves bonnet coat shawl candle lamp light fire "
    "himself herself care notice nothing answer reply word words question questions attention "
    "subject matter conversation silence moment minute minutes time while hour day night morning "
    "evening afternoon side corner end opportunity head pace stairs upstairs downstairs hall "
    "parlour parlor kitchen air ground floor wall book letter paper pipe tea dinner breakfast "
    "supper glass cup plate horse carriage ear ears back front glances looks again away out up "
    "down off in on over round home indeed heartily saying hearing seeing other others".split()
)
"""What everybody has and does, and so tells nobody apart."""

CLAIMS = frozenset(
    "persuasion opinion idea belief hope fear conviction impression fact thought suspicion "
    "assurance certainty feeling notion wish news intelligence understanding doubt "
    "conclusion reflection sense knowledge confession condition remark".split()
)
"""Nouns that say little without the clause behind them."""


def gender(noun: str) -> Gender:
    """What a noun of PERSONS tells of its bearer."""
    if noun in FEMALE:
        return Gender.FEMALE
    return Gender.MALE if noun in MALE else Gender.UNKNOWN
