import { expect, test } from "vitest";
import { readAddress, readText } from "./text.ts";

const names = {
	person: async (id: string) => ({ UADA: "Ada" })[id],
	channel: async (id: string) => ({ C1: "general" })[id],
};

test.each([
	["<@UBOT> count the files", "count the files"],
	["please, <@UBOT>   count", "please, count"],
	["<@UBOT|parley>", ""],
	["<@UBOT>: stop", "stop"],
	["<@UBOT>, stop", "stop"],
	["<@UBOT>,stop", "stop"],
	["<@UBOT>:/task list", "/task list"],
	["<@UBOT>:", ""],
	["please, <@UBOT>, count", "please, count"],
	["<@UBOT> :tada: well done", ":tada: well done"],
	["<@UBOT>:tada:", ":tada:"],
	["<@UADA>: hello, <#C1>, <https://a.b>:", "@Ada: hello, #general, https://a.b:"],
	["ask <@UADA> and <@UBOB|bob> and <@UEVE>", "ask @Ada and @bob and @UEVE"],
	["in <#C1> or <#C2|random> or <#C3>", "in #general or #random or #C3"],
	["<!here> <!subteam^S1|@devs> <!date^1^{date}|today>", "@here @devs today"],
	["<!subteam^S1>", "<!subteam^S1>"],
	["see <https://a.b/?x=1&amp;y=2>", "see https://a.b/?x=1&y=2"],
	["see <https://a.b|the page> at <http://a.b|a.b>", "see [the page](https://a.b) at http://a.b"],
	["to <mailto:a@b.c|a@b.c>", "to a@b.c"],
	["1 &lt; 2 &amp;&amp; 3 &gt; 2, &amp;lt; stays", "1 < 2 && 3 > 2, &lt; stays"],
	["&lt;@UBOT&gt; is typed", "<@UBOT> is typed"],
	["two\n<@UBOT>\nlines", "two\n\nlines"],
])("%s reads as %s", async (text, expected) => {
	expect(await readText(text, "UBOT", names)).toBe(expected);
});

test.each([
	["hello", { us: false, others: false, everyone: false }],
	["<@UBOT> hello", { us: true, others: false, everyone: false }],
	["<@UBOT|parley> and <@UADA>", { us: true, others: true, everyone: false }],
	["<!subteam^S1|@devs>", { us: false, others: true, everyone: false }],
	["<!channel> <!date^1^{date}|today>", { us: false, others: false, everyone: true }],
	["&lt;@UBOT&gt;", { us: false, others: false, everyone: false }],
])("%s mentions the named person", (text, expected) => {
	expect(readAddress(text, "UBOT")).toEqual(expected);
});
