package phrase

// englishWords are common words of four letters and more that are a slip or two away from others: they are themselves
// and not taken for a word of a phrase.
const englishWords = `able about above accept access account accounts across action active address advance advice after again
against agent agents agree alarm alert alive allow alone along already also alter always amount angle annual another answer apart appear apple
apply april argue around arrive article aside asleep attend audit august aunt author avoid away baby back badge balance ball band bank banks bare base basic
basis bath beach bean bear beat been beer before begin behind bell belong below belt bench bend best better between bike bill bills bind bird birth
bite black blank blind block blood blow blue board boat body boil bond bone bonus book books boot border bore born both bottle bottom bought bound bowl
brain brake branch brand brave bread break brick bride bridge brief bright bring broad broke brother brown brush build bulk burn burst business busy
button cable cafe cake call called calls calm came camera camp cancel candle card cards care career cargo carry cart case cash cast catch cause cell cent chain
chair chance change channel chapter charge charges chart chase cheap chat check checks cheese cheque chief child choice choose church circle citizen city claim claims
class clean clear clerk click client clients climb clock clone close closed cloth cloud club coach coal coast coat code coffee coin cold collect college colour come
comes common company compare complete complex concert confirm connect contact contain contract control cook cool copy core corn corner correct cost costs couch count counter
county couple course court cousin cover crash cream create credit crew crime crop cross crowd cruise cure curve cycle daily damage dance danger dare dark data date dated
dates daughter dead deal dealer dear debit debt december decide deep defend delay delete deliver demand dent deny depart deposit derive desert design desk detail device
dial diet dinner direct dirt dirty disc dish disk dive divide doctor does dollar done door double doubt down draft drag draw dream dress drink drive drop drug dust
duty each earn ears earth ease east easy edge edit editor eight either elder elect email employ empty enable ending enemy energy engine enjoy enough enter entry equal error
escape even event events every exact exam except excess exchange exist exit expand expect expense expert explain export express extend extra eyes face fact fail failed
fair fall false fame family farm fast father fault favour fear feed feel fees feet fell felt female fence fever field fight figure file files fill film final find fine
finger finish fire firm first fish five fixed flag flame flash flat fleet flight flip float flood floor flow flower focus fold follow food fool foot force forest forget fork
form format forth found four frame fraud free freeze fresh friend from front frozen fruit fuel full fund funds future gain game garden gate gather gave gear general
gift girl give given glad glass global goal goes gold golden gone good goods grab grade grand grant grass great green greet grey grid ground group grow growth guard
guess guest guide guilt hair half hall hand handle hang happen happy hard harm hate have head health hear heard heart heat heavy height held hello help here hero hidden
hide high hill hint hire history hobby hold hole holiday home honest hook hope horse hospital hotel hour hours house however huge human hundred hunt hurry hurt husband idea
image import inch include income index inform inner input insert inside install instead insure intend invest invite invoice iron island issue issues item items jacket
join joint joke judge juice july jump june jury just keep kept keys kick kill kind king kitchen knee knew knife knock know known label lack lady laid lake lamp land lane
language large last late later laugh launch lawyer layer lazy lead leader leaf learn lease least leather leave left legal lemon lend length less lesson letter level licence life
lift light like likely limit limits line link lion lips list listen lists little live load loan loans local lock locked lodge logic logo lonely long look loose lord lose loss lost
lots loud love lower luck lunch machine made magic mail mails main major make male manage manager manual many march mark market marry mask mass master match matter mayor meal
mean meant measure meat media medium meet member memory mend mention menu mercy merge mess message metal meter method middle might mile milk mill mind mine minor minus minute
mirror miss missing mistake mobile mode model modern moment monday money month monthly months mood moon more morning mortgage most mother motion motor mount mouse mouth move
moved movie much museum music must name named names nation nature near nearly neck need needs never news next nice night nine noise none noon north nose note
notes nothing notice november number nurse object obtain occur ocean october offer office often once only open opened opening option options orange order orders other others ought outer output
outside oven over owner pace pack package page paid pain paint pair palace palm panel panic paper parent park part partner party pass passage past patch path patient pattern pause pawn
payee payment payments payroll peace pear pencil pension people pepper perfect period permit person petrol phone phones photo piano pick picture piece pilot pink pipe place plain plan plane planes
planet plans plant plate play player please plenty plug plus pocket poem poet point police policy polite poll pond pool poor port pose position possible post postal postpone pound pounds
pour power press pretty prevent price prices pride prime print prior prison private prize problem process produce product profile profit program project promise proof proper protect
proud prove provide public pull pump pupil purchase pure purple purse push puts quality quarter queen query quest question queue quick quiet quit quite quote race radio rail rain raise
range rank rare rate rates rather reach read reader reads ready real really reason recall receipt receive recent record recover reduce refer refund refunds refuse region register regret reject relate
relax release relief rely remain remind remote remove rent rental repair repeat replace reply report request rescue reserve reset rest result retire retry return reveal review reward
rice rich ride rider right ring rise risk river road rock role roll roof room rooms root rope rose rough round route royal rude rule rules rural rush safe safety said sail salad salary sale
sales salt same sample sand sauce save saved saver saves saving savings scale scan scene school score screen seal search season seat seats second secret section secure see seed seek seem seen
sell seller sells senate send sender sends senior sense sent separate series serious serve service session settle seven several shade shake shame shape share shares sharp sheet shelf shell shift shine ship
shirt shock shoe shoes shoot shop shops shore short shot should shout show shower shown shut sick side sight sign signal silver similar simple since sing single sink sister site size skill
skin skip slave sleep slice slide slip slow small smart smell smile smoke smooth snow soap social sofa soft soil sold soldier solid solve some someone something son song soon sore sorry sort
soul sound soup source south space spare speak special speech speed spell spend spends spent spin split spoke spoon sport spot spread spring square stack staff stage stairs stamp stand star start
started state statement states station status stay steal steam steel steep step stick still stock stole stone stood stop store storm story strange stream street stress strike string
strip strong student study stuff style subject submit subway sugar suit summer sunday supper supply support sure surface surprise swap sweep sweet swim swing switch system table tail
take taken takes tale talk tall tank tape target task taste taxes taxi teach team tear tell temper temple tend tent term terms test tests text than thank theft theme then theory these thick thief thin thing
things think third this those though thread threat three throw thus ticket tickets tide tight till time times tiny tire title toast today toes told toll tomorrow tone tool tooth topic total
touch tour towards towel tower town toys trace track trade traffic trail train trains trait trap trash travel tray treat tree trend trial tribe trick tried trim trip troop trouble truck true
trunk trust truth tube tune turn turns twelve twice twin type ugly uncle under union unique unit unite until update upgrade upon upper upset urban urge urgent used user users usual vacant valid
valley value vast verify verse very vessel victim video view village visa visit visits voice volume vote wage wages wait waiter wake walk wall want warm warn wash waste watch water wave ways weak wealth
wear weather week weekly weight well went west what wheat wheel when where which while whip white whole whom wide width wife wild will wind window wine wing winner winter wire wired wires wise wish with
withdraw without witness woman wonder wood wool word words wore work worker works world worry worse worst worth wound wrap write wrong wrote yard yeah year years yellow young your youth zero zone`
