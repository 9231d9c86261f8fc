import type { Random } from "../random.ts";

/** JSON text, including forms that `JSON.stringify` never writes. */
export type Json = string;

const strings = [
	"",
	" ",
	"\0",
	"\u001b[2J",
	"../../etc/passwd",
	"a\nb\r\nc",
	"‮gnirts",
	"e\u0301",
	"👩‍👩‍👧‍👦",
	"\uFEFF",
	"\u2028",
	"ﷺ",
	"𝕴𝖉",
	"null",
	"__proto__",
	"constructor",
	"toString",
	"sess_",
	"'; drop table sessions; --",
	"$(true)",
	"%s%n",
];

const numbers = [
	"0",
	"-0",
	"-1",
	"1.5",
	"1e3",
	"1e308",
	"9007199254740993",
	"-9223372036854775808",
	"4294967296",
];

/** JSON that the gateway's parser must refuse. */
const refused = [
	"1e999",
	"-1e999",
	'"\\ud800"',
	'{"\\udfff":1}',
	'{"__proto__":{"x":1}}',
	'{"constructor":{"prototype":{"x":1}}}',
	"01",
	"+1",
	".5",
	"NaN",
	"undefined",
	"'single'",
	'"\t"',
	'{"a":1,}',
	"[1,]",
	"[".repeat(70) + "]".repeat(70),
	`[${"0,".repeat(21_000)}0]`,
];

/** Returns an unexpected value. On average, one in ten is JSON that the gateway's parser must refuse. */
export function oddValue(random: Random): Json {
	if (random.chance(0.1)) return random.pick(refused);
	const makers = [
		() => JSON.stringify(random.pick(strings)),
		() => JSON.stringify(random.pick(strings).repeat(random.between(1, 400))),
		() => JSON.stringify("x".repeat(random.pick([64, 65, 128, 129, 256, 257, 4097, 20_000]))),
		() => random.pick(numbers),
		() => random.pick(["true", "false", "null"]),
		() => random.pick(["{}", "[]", "[[]]", "[null]", '{"":""}', '{"length":3}', '[["a"],"b",3]']),
		() =>
			`${"[".repeat(random.between(2, 55))}${"]".repeat(55)}`.replace(
				/^(\[+)(\]+)$/,
				(_, open, close) => open + close.slice(0, open.length),
			),
	];
	return random.pick(makers)();
}
