"""Given names of English fiction: whose they are, and what they are short for.

The lists hold names that say something about gender or person by themselves; a name that is
missing is judged by its surroundings in the book alone.
"""

from __future__ import annotations

from scholar_indexes.types import Gender

FEMALE = frozenset(
    "abigail ada adela adelaide adele adeline agatha agnes aileen albertine alexandra alice "
    "alicia alison alma althea amabel amanda amelia amy anastasia angela angelica angelina ann "
    "anna annabel anne annette annie antoinette antonia arabella araminta ariadne audrey "
    "augusta aurelia aurora babette babs barbara beatrice beatrix becky belinda bella belle "
    "bernadette bertha bess bessie bessy beth betsey betsy bettina betty bianca biddy birdie "
    "blanche brenda bridget camilla carlotta carmen carol caroline carrie cassandra catharine "
    "catherine cathy cecilia cecily celeste celia charity charlotte chloe christabel christiana "
    "christina christine cicely cissie clara clarice clarissa claudia clemence clementina "
    "cleopatra clotilde constance constantia cora cordelia corinne cornelia cressida cynthia "
    "daisy daphne deborah delia delphine diana dinah dolly dolores dora dorcas dorothea dorothy "
    "drusilla edith edna effie eileen elaine eleanor elena eleonora elfrida elinor elisa "
    "elisabeth elise eliza elizabeth ella ellen elsa elsie elvira em emilia emily emma emmeline "
    "emmy enid ernestine esmeralda estella esther ethel etta eudora eugenia eugenie eulalie "
    "euphemia eva evangeline eve eveline evelina evie fannie fanny felicia felicity fenella "
    "fifine flora florence florinda flossie frances francesca freda frederica frieda gabrielle "
    "genevieve georgette georgiana georgie georgina geraldine gertie gertrude gladys gloria "
    "grace greta gretchen griselda guinevere gussie gwen gwendolen gwendoline hannah harriet "
    "harriett hattie hazel hebe hedwig helen helena helene heloise henrietta hermia hermione "
    "hester hetty hilda hildegarde honora honoria hope hortense hortensia ida imogen ingrid "
    "irene iris isabel isabella isabelle isobel isolde ivy jacqueline jane janet janey janie "
    "jean jeanette jeanie jeanne jemima jennie jenny jessica jessie jill joan joanna josephine "
    "josie joyce juana juanita judith judy julia juliana julie juliet justine kate katharine "
    "katherine kathleen katie katy katrina keziah kit kitty laura lavinia leah leila lena "
    "lenore leonora letitia letty lilian lilias lillian lillie lily linda lisbeth liza lizzie "
    "lizzy lois lola lottie lotty lou louie louisa louise lucia lucie lucilla lucille lucinda "
    "lucrece lucretia lucy luella lulu lydia mabel madeleine madeline madge mag maggie mamie "
    "margaret margarita margery margot marguerite maria mariana marianne marie marietta "
    "marigold marina marion marjorie marjory martha mary mathilda mathilde matilda mattie matty "
    "maud maude may meg mehitabel melissa mercedes mercy mildred millicent millie milly mimi "
    "mina minerva minna minnie mirabel miranda miriam moll molly mona monica muriel myra myrtle "
    "nadine nan nancy nanette naomi natalia natalie natasha nell nellie nelly netta nettie nina "
    "nora norah octavia odette olga olive olivia ophelia ottilie pamela pansy patience patricia "
    "patty paula paulina pauline peg peggy penelope perdita persis petronella phemie philippa "
    "phillis philomena phoebe phyllis polina polly portia priscilla prudence rachael rachel "
    "rebecca renee rhoda rita roberta rosa rosabel rosalie rosalind rosaline rosamond rosamund "
    "rose rosemary rosetta rosie rosina rowena roxana ruby ruth sabina sadie sal sallie sally "
    "salome samantha sara sarah selina serena sheila sibyl sidonia sissy sofia sonia sophia "
    "sophie sophy stella sue sukey susan susanna susannah susie suzanne sybil sylvia tabitha "
    "tamar teresa tess tessa thea theodora theresa therese thomasin tilly trixie trudy una "
    "ursula valeria vanessa venetia vera veronica victoria viola violet virginia vivien wanda "
    "wilhelmina winifred winnie yvonne zelda zenobia zillah zoe zuleika".split()
)  # fmt: skip

MALE = frozenset(
    "aaron abe abel abner abraham absalom adalbert adam adolf adolphe adolphus adrian ahab alan "
    "alaric albert alec aleck alexander alexey alexis alf alfred algernon algie alick allan "
    "allen alphonse alphonso alured ambrose amos amyas anatole andre andrew andy angelo angus "
    "anselm anthony antoine anton antonio archibald archie archy aristide armand arnold arthur "
    "artie asa athelstan auberon aubrey augustine augustus austin baldwin balthazar barnabas "
    "barnaby barney barry bart bartholomew bartley basil ben benedict benjamin bennie benny "
    "bernard bert bertie bertram bertrand bill billy bob bobbie bobby boris brian bruce bruno "
    "bulstrode byron cadwallader caesar caleb calvin carl carlo carlos caspar cecil cedric "
    "charles charley charlie chester christian christie christopher clarence claude claudius "
    "clement cleveland clifford clive colin comus connor conrad constantine cornelius crispin "
    "curtis cuthbert cyprian cyril cyrus damian dan daniel danny darius dave david davy denis "
    "dennis derek desmond dick digby dimitri dirk dmitri dominic don donald dorian dudley "
    "duncan earl eben ebenezer ed eddie eddy edgar edmond edmund eduard edward edwin egbert "
    "elbert eldred eli elias elihu elijah elliott elmer emanuel emil emile emmanuel enoch "
    "enrico ephraim erasmus eric ernest esau ethan etienne eugene eustace evan evelyn everard "
    "ezekiel ezra felix ferdinand fergus fitzwilliam floyd francis francois frank franklin "
    "franz fred freddie freddy frederic frederick fritz gabriel gareth gaston geoffrey george "
    "gerald gerard gideon gil gilbert giles giovanni giuseppe glen godfrey gordon graham "
    "gregory greville griffith guido guillaume gus gustave gustavus guy hal ham hamish hannibal "
    "hans harold harry harvey hector heinrich henri henry herbert hercules herman hew hezekiah "
    "hilary hiram homer horace horatio howard hubert hugh hugo humphrey hyacinth ian ichabod "
    "ignatius igor immanuel ingram ira isaac isaiah israel ivan jabez jack jacob jacques jake "
    "james jan jared jarvis jason jasper jeff jefferson jeffrey jem jeremiah jeremy jerome "
    "jerry jesse jethro jim jimmie jimmy job jock joe joel johann john johnnie johnny jolyon "
    "jonah jonas jonathan jos jose joseph josh joshua josiah juan jude jules julian julius "
    "justin karl keith kenelm kenneth kit konrad lambert lancelot larry laurence laurie "
    "lawrence lazarus leander lemuel len leo leon leonard leonidas leopold leroy leslie levi "
    "lewis lionel llewellyn lorenzo lothair louis luca lucas lucian lucien lucius ludovic "
    "ludwig luigi luke luther lyman magnus malachi malcolm manfred manuel marc marcel marcus "
    "mario mark marlow marmaduke martin mat matt matthew matthias maurice max maximilian "
    "melchior meredith micah michael michel mick mickey miguel mike mikhail miles mortimer "
    "moses nat nathan nathaniel neal ned neil nero neville nevil nicholas nick nicodemus nigel "
    "noah noel norman octavius oliver orlando osbert oscar osmund oswald otis otto owen pablo "
    "paddy parker pascal pat patrick paul pedro percival percy peregrine perseus pete peter "
    "phil philip philippe phillip phineas pierce pierre pip quentin rab ralph ramon randal "
    "randolph raoul raphael raymond reginald reggie reginald reuben rex reynold richard rob "
    "robert robin roderick rodney rodolphe rodrigo roger roland rolf rollo romeo ronald rory "
    "rowland rudolf rudolph rufus rupert russell sam sammy sampson samson samuel sancho sandy "
    "saul seth septimus sergei seth seymour sid siegfried sigismund silas silvester simeon "
    "simon sinclair solomon spencer stanislaus stanley stephen sterling steve steven stewart "
    "stuart sydney sylvester tad tarquin ted teddy terence thad thaddeus theo theobald theodore "
    "theophilus thomas tim timothy titus tobias toby tom tommy tony tristram ulick ulysses "
    "urban valentine vernon victor vincent virgil vivian vladimir wallace walt walter warren "
    "wat wilfred wilfrid wilhelm will william willie willis willy winston xavier zachariah "
    "zachary zebedee".split()
)  # fmt: skip

_SHORT = """\
abigail abby | abraham abe | adelaide addie | agnes aggie | albert bert bertie
alexander alec aleck alick sandy | alfred alf fred | amelia amy milly emmy | andrew andy
angelina angy | ann annie nan nancy | anna annie | annabel bella | anne ann annie nan nancy
anthony tony | antoinette toni | antonia tony | arabella bella belle | archibald archie archy
arthur artie | augusta gussie | augustus gus gussie | barbara babs | barnaby barney
bartholomew bart | beatrice bee trixie | benjamin ben bennie benny | bertram bert bertie
bridget biddy | caroline carrie caro | cassandra cass | catharine cathy kate kitty
catherine cathy kate katie katy kitty kit | cecilia cissy celia cis | cecily cissy sis
charles charley charlie | charlotte lottie lotty | christina chrissy tina | christopher kit kester
clarissa clara clary | constance connie | cordelia delia | cornelius corny | daniel dan danny
david dave davy | deborah debby | dorothea dolly dora dorothy thea | dorothy dolly dot dora
edgar ed | edith edie | edmund ned ted | edward ed eddie eddy ned neddy ted teddy | edwin ed eddie
eleanor ellen nell nellie nelly | elinor nell nelly
elizabeth eliza lizzy lizzie liz betsy betsey betty bess bessie bessy beth lisa libby elspeth
ellen nell nellie nelly nora | emily em emmy milly | emma em emmy | ernest ernie
esther hetty essie | euphemia effie | eva evie | eveline evie | evelyn evie
florence flo flora flossie florrie | frances fanny fannie | francis frank
frederick fred freddie freddy fritz | genevieve jenny | george georgie | georgiana georgy georgie
georgina georgie | gertrude gertie trudy | gilbert gil | gregory greg | gwendolen gwen
harriet hattie hatty harry | helen nell nellie nelly | henrietta etta hetty hatty
henry harry hal | herbert bert bertie | hester hetty essie | honora nora norah | isaac ike
isabel bell bella belle | isabella bell bella belle ella | jacob jake | jacqueline jacky
james jim jimmy jimmie jem | jane janey janie jenny | janet jenny jessie | jemima mima
jeremiah jerry | jessica jessie | joanna jo | john jack johnny johnnie jock | jonathan jon
joseph joe joey jos | josephine jo josie | joshua josh | judith judy | julia julie | juliana julie
juliet julie | katharine kate katie katy kitty | katherine kate katie katy kitty kit | laura lolly
laurence larry laurie | lawrence larry laurie | leonard len leo | leonora nora | letitia letty
lilian lily lil | louisa lou loo louie | louise lou | lucia lucy | lucinda lucy | lucretia lucy
lydia liddy | mabel mab | magdalen maud lena
margaret meg maggie mag madge margery daisy peggy peg greta rita | marjorie madge marge
martha mattie matty patty | mary molly moll polly poll mamie may | matilda matty tilly maud
matthew mat matt | maximilian max | michael mike mick mickey | mildred milly
millicent milly millie | miranda mira | natalia natasha | nathaniel nat | nicholas nick
oliver noll nolly | olivia livy | pamela pam | patience patty | patrick pat paddy | penelope penny
percival percy | peter pete | philip phil pip | philippa pippa | priscilla prissy | prudence prue
rachel rae | randolph randy | rebecca becky | reginald reggie rex | richard dick dicky dickie
robert bob bobby bobbie rob robin | rodney roddy | rosalind rosa rose | rosamond rosy rose
rudolph dolph | samuel sam sammy | sara sally sadie | sarah sally sal sadie | sidney sid
solomon sol | sophia sophy sophie | stephen steve | susan sue susie sukey susy
susanna susan sue susie | sydney syd | teresa tess tessa | theodora dora thea
theodore ted teddy theo | theresa tess tessa terry | thomas tom tommy | thomasina tamsin
timothy tim | tobias toby | ursula ursa | veronica vera | victor vic | victoria vicky
vincent vince | virginia ginny | walter walt wat | wilfred will | wilhelmina mina minna minnie
william will willie willy bill billy | winifred winnie freda | zachariah zach"""

FORMAL: dict[str, frozenset[str]] = {}
"""Each short form and the names that it may stand for: kitty -> catherine, katharine, ..."""

for _each in _SHORT.replace("\n", "|").split("|"):
    _name, *_forms = _each.split()
    for _form in _forms:
        FORMAL[_form] = FORMAL.get(_form, frozenset()) | {_name}


def gender(given: str) -> Gender:
    """Whose name a folded given name is, or its first part's (mary-jane); UNKNOWN where it is
    nobody's or of both."""
    given = given.partition("-")[0]
    female, male = given in FEMALE, given in MALE
    if female == male:
        return Gender.UNKNOWN
    return Gender.FEMALE if female else Gender.MALE


def alike(one: str, other: str) -> bool:
    """Whether two folded given names may be one person's: the same, or short for the same."""
    mine = FORMAL.get(one, frozenset()) | {one}
    return not mine.isdisjoint(FORMAL.get(other, frozenset()) | {other})


def stands_for(one: str, other: str) -> bool:
    """Whether one of two folded given names is the other, or short for it. Two that are short
    for a third may be two people's, unless they begin alike: Bessie and Eliza, Tom and Tommy."""
    return (
        one == other
        or one in FORMAL.get(other, frozenset())
        or other in FORMAL.get(one, frozenset())
        or (one[:3] == other[:3] and alike(one, other))
    )


def shortened(one: str, other: str) -> bool:
    """Whether one of two folded given names is the other's beginning: Huck, Huckleberry."""
    few, many = sorted((one, other), key=len)
    return len(few) >= 3 and many.startswith(few)
