import { countWords, type Sentence } from "./prose.ts";

export interface Rule {
	readonly name: string;
	readonly advice: string;
	readonly breaks: (sentence: Sentence) => boolean;
}

const maxWords = 30;

const clauseStart =
	/^[^\p{L}\p{N}]*(?:what(?:ever)?|who|whose|whom|whoever|where|of|so many|so much|so few|that which|nobody|nothing|told)\b(?!-)/iu;
/** Pattern of a clause after a colon or a semicolon, for example `: what` or `; who`. */
const clauseInside = /[;:] (?:what|who|whose|whoever|nobody|nothing|so many|so much)\b/i;
const conditionalWhere =
	/(?:^|[,;:(–—] ?|\b(?:and|or|but|not|only|except) )where (?:there (?:is|are|was|were)|one|none|nothing|nobody|somebody|no|neither|it (?:is|has|can|may|must|was)|they|any|this|that|these|those|possible|needed|given|set|allowed|known|you|we)\b|\bwhere (?:there (?:is|are) (?:none|no|one|nothing|nobody)|none|nobody|somebody)\b|\b(?:undefined|null|false|true|empty|missing|throws|rejects|fails|refused)`? (?:[\w`]+ )?where\b/i;
/** Pattern of a negated noun, for example "is no approval". Correct English is "is not an approval". */
const noNoun =
	/(?<!there )\b(?:is|are|was|were|be|been) no (?!longer|more|less|such|one|op\b|different|matter|way|need|reason)\w/i;
const person = /\b(?:some|any|every)(?:body|one)\b|\bnobody\b|\bno one\b|\bwho(?:so)?ever\b|\bwhomever\b/i;

const dialectVerbs = [
	"tell(?:s|ing)? of",
	"told of",
	"(?:is|are|was|were|be|been|being|gets?|got) told",
	"(?:comes?|came|coming) to(?! (?:rest|life|an end|a stop))",
	"(?:holds?|held|holding) until",
	"stands?(?! (?:for|alone|in for))",
	"stood",
	"lies",
	"lay",
	"goes on",
	"go on",
	"went on",
	"going on",
	"(?:is|are|was|were|be|been|isn't|aren't) (?:not |no longer |still |already |always |never )?there(?=[.,;:)]|$| (?:when|if|and|or|but|before|after|at|in|for|yet|is|are|that|which|already|alone|too|as|since|until|by|to|while|where)\\b)",
	"mend(?:s|ed|ing)?",
	"hears?",
	"heard",
	"lets? (?:him|her|them|it|people|guests?|strangers?) in",
	"let in",
	"(?:come|comes|came) in(?=[.,;:)]|$)",
	"(?:makes?|made) up for",
	"asked about",
	"(?:begins?|began|starts?) anew",
	"bear(?:s)? (?:it|them|this|that)",
	"befalls?",
	"befell",
	"has it that",
];

const bannedPhrases = [
	"anew",
	"for ever",
	"ever so",
	"in passing",
	"nothing more",
	"nothing but",
	"nothing else",
	"none but",
	"no one but",
	"as it were",
	"by and by",
	"now and then",
	"be that as",
	"at a clock",
	"the house",
	"what it comes to",
	"so many more",
	"so many as",
	"such as are",
	"save for",
	"lest",
	"whence",
	"thereof",
	"whereof",
	"whereupon",
	"thereupon",
	"hence",
	"henceforth",
	"hitherto",
	"thereby",
	"hereby",
	"herein",
	"therein",
	"wherein",
	"till",
	"aught",
	"naught",
	"nought",
	"alike",
	"in vain",
	"of late",
	"ere",
	"(?:put|puts|goes|went|calls?|asks?|asked|works?|worked) aside",
	"not until then",
	"other than that",
	"and that is all",
	"that is all",
	"made anew",
	"who answers",
	"says who",
	"says what",
	"say what",
	"tells? what",
	"tells? who",
	"knows? what",
	"knows? who",
	"at what",
	"by what",
	"for what",
	"from what",
	"of what",
	"of who",
	"of whom",
	"than what",
	"to what",
	"with what",
	"is what",
	"are what",
	"means what",
	"which it is not",
	"in so far as",
	"in as much as",
	"inasmuch",
	"one another's",
	"the same holds",
	"this holds",
	"holds for",
	"holds (?:that|no|nothing)",
	"has none",
	"have none",
	"there is none",
	"where there is none",
	"stands? by",
	"takes? part",
	"on its own behalf",
	"a wish",
	"its wish",
	"out of place",
	"by hand of",
	"at the hand of",
	"be it",
	"let it be",
	"so be it",
];

function anyOf(phrases: readonly string[]): RegExp {
	return new RegExp(`(?<![\\w-])(?:${phrases.join("|")})(?![\\w-])`, "i");
}

const verbs = anyOf(dialectVerbs);
const banned = anyOf(bannedPhrases);
const noLonger = /\bany ?more(?! than)\b|\bno more\b(?!(?: \w+)? than\b)/i;

/** For example "Returns", "Immediately stops" or "Whether". A callback may begin with "Called". */
const functionStart =
	/^(?:(?:[A-Z][a-z]+ly )?[A-Za-z][a-z-]+s|Whether|Like|Called)\b(?! (?:of|whose|which)\b)/;
const plurals = [
	"approvals",
	"approvers",
	"arguments",
	"bytes",
	"cards",
	"characters",
	"clients",
	"commands",
	"connectors",
	"details",
	"directories",
	"entries",
	"errors",
	"events",
	"facts",
	"fields",
	"files",
	"findings",
	"frames",
	"gateways",
	"headers",
	"ids",
	"images",
	"instructions",
	"items",
	"keys",
	"kinds",
	"lines",
	"members",
	"messages",
	"metrics",
	"milliseconds",
	"notices",
	"objects",
	"operations",
	"options",
	"parameters",
	"parts",
	"paths",
	"people",
	"permissions",
	"principals",
	"programs",
	"progress",
	"results",
	"rows",
	"rules",
	"secrets",
	"sentences",
	"servers",
	"sessions",
	"settings",
	"skills",
	"tasks",
	"texts",
	"timestamps",
	"tools",
	"values",
	"variables",
	"words",
];
const noVerb = new RegExp(`^(?:always|as|its|less|sometimes|this|unless|${plurals.join("|")})\\b`, "i");

export const rules: readonly Rule[] = [
	{
		name: "function",
		advice: "start the doc comment of a function with a verb, such as Returns or Adds, or with Whether",
		breaks: ({ plain, startsFunctionDoc }) =>
			startsFunctionDoc && (!functionStart.test(plain) || noVerb.test(plain)),
	},
	{
		name: "start",
		advice: "start with the subject",
		breaks: ({ plain }) => (clauseStart.test(plain) || clauseInside.test(plain)) && !isQuestion(plain),
	},
	{
		name: "where",
		advice: "write if or when for a condition; where is for places",
		breaks: ({ plain }) => conditionalWhere.test(plain),
	},
	{
		name: "person",
		advice: "name the role: client, operator, member, caller",
		breaks: ({ plain }) => person.test(plain),
	},
	{
		name: "verb",
		advice: "use the ordinary verb: report, tell, apply, exist, continue",
		breaks: ({ plain }) => verbs.test(plain) && !isQuestion(plain),
	},
	{
		name: "long",
		advice: `split it: at most ${maxWords} words`,
		breaks: ({ plain }) => countWords(plain) > maxWords,
	},
	{ name: "is-no", advice: "write is not a", breaks: ({ plain }) => noNoun.test(plain) },
	{ name: "no-longer", advice: "write no longer", breaks: ({ plain }) => noLonger.test(plain) },
	{
		name: "phrase",
		advice: "say it in plain words, with a noun for the thing",
		breaks: ({ plain }) => banned.test(plain),
	},
];

/** Whether a sentence is a question, which may start with an interrogative. */
function isQuestion(plain: string): boolean {
	return /\?["')\s]*$/.test(plain);
}
