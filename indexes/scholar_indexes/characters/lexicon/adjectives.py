"""Adjectives: lasting traits, and words that tell nothing before a noun."""

from __future__ import annotations

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

EPITHETS = frozenset("poor old young little dear good honest worthy big".split())
"""What may stand before a name: "poor Jane"."""

PETTY = frozenset("old young dear poor good little great".split())
"""What makes no noun telling: "the poor man"."""

UNFIT = frozenset(
    "other another such same supposed pretended imaginary mere first last only next very right "
    "wrong better worse so too more less own latter former like new second third perfect different "
    "certain strange possible sort kind".split()
)
"""Words in a noun phrase that mean nothing outside their sentence, or deny it."""

NOUNS_LIKE = frozenset(
    "wedding morning evening building dwelling living feeling meeting proposal general criminal "
    "minister farewell family estate house servant merchant president infant patient student "
    "accident moment parent agent regiment present animal hospital island admiral garden bed "
    "reading writing drawing painting singing dancing shooting hunting fishing stocking clothing "
    "ring king thing string wing spring being anything something nothing money city party lady "
    "country company baby duty study story library county army belly body bully diary navy jelly "
    "ally fly reply supply july music republic public public-house picnic attic fabric arithmetic "
    "metal medal canal capital journal funeral arrival rival trial burial cattle musical "
    "apartment department parliament argument engagement garment instrument monument "
    "document testament event tent cent scent rent accent talent client president ancient "
    "servant giant merchant tenant lieutenant sergeant infant elephant restaurant warrant plant "
    "grant want ant aunt chest west east rest forest guest harvest interest nest breast priest "
    "request test vest secretary library dictionary salary february january table stable "
    "vegetable constable seed bed shed hundred steed speed weed dish fish wish english parish "
    "polish native captive detective relative motive archive olive wife knife motive goal".split()
)
"""Nouns that look like adjectives."""

_ENDS = ("ful", "ous", "ive", "able", "ible", "ish", "less", "ic", "ant", "ent", "ary", "al",
         "ly", "ing", "ed", "est")  # fmt: skip


def may_describe(word: str) -> bool:
    """Whether a word that ends a phrase is rather an adjective, and a noun is to come."""
    return word in TRAITS or word in EPITHETS or word.endswith(_ENDS)
