import { ParleyError } from "@parley/base";
import { RE2JS } from "re2js";
import { globTexts } from "./texts.ts";

/**
 * Compiles a pattern of paths: `*`, `?` and `[a-z]` match within a name, `**` matches any directories, `{a,b}` matches
 * `a` or `b`. A pattern without a slash matches names at any depth. Other patterns match the complete path, relative to
 * the start of the search. For every pattern, the time is proportional to the length of the path. Throws
 * `invalid_argument` for an invalid pattern.
 */
export function compileGlob(glob: string): (path: string) => boolean {
	const refuse = (reason: string): never => {
		throw new ParleyError(globTexts.unusable(glob, reason), {
			code: "invalid_argument",
		});
	};
	if (glob.startsWith("!")) refuse(globTexts.exclusion);
	if (glob.startsWith("/")) refuse(globTexts.relative);
	if (/(?:^|\/)\.\.(?:\/|$)/.test(glob)) refuse(globTexts.outside);
	const relative = glob.replace(/^(?:\.\/)+/, "").replace(/\/$/, "/**");
	const anywhere = relative === "**" || relative.includes("/") ? relative : `**/${relative}`;
	try {
		const pattern = RE2JS.compile(translate(anywhere));
		return (path) => pattern.matches(path);
	} catch (cause) {
		return refuse(cause instanceof ParleyError ? cause.message : globTexts.range);
	}
}

const PART = /\/\*\*$|(?<=^|\/|\{|,)\*\*\/|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[{},]|[^*?[\\{},/]+|./gsu;

function translate(glob: string): string {
	if (glob === "**") return ".+";
	let open = 0;
	const parts = (glob.match(PART) ?? []).map((part) => {
		if (part === "{") open += 1;
		if (part === "}") open -= 1;
		if (open < 0) throw unclosed();
		return translatePart(part, open > 0);
	});
	if (open > 0) throw unclosed();
	return parts.join("");
}

function unclosed(): ParleyError {
	return new ParleyError(globTexts.braces, { code: "invalid_argument" });
}

function translatePart(part: string, inBraces: boolean): string {
	if (part === "/**") return "/.+";
	if (part === "**/") return "(?:.*/)?";
	if (part.startsWith("*")) return "[^/]*";
	if (part === "?") return "[^/]";
	if (part === "{") return "(?:";
	if (part === "}") return ")";
	if (part === "," && inBraces) return "|";
	if (part.startsWith("[") && part.endsWith("]") && part.length > 2) return translateClass(part.slice(1, -1));
	return quote(part.replace(/^\\(?=.)/su, ""));
}

function translateClass(inside: string): string {
	const negated = /^[!^]/.test(inside);
	const body = (negated ? inside.slice(1) : inside).replaceAll(/[\\[\]^&~|]/g, "\\$&");
	return negated ? `[^/${body}]` : `[${body}]`;
}

function quote(text: string): string {
	return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, "\\$&");
}
