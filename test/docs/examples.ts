import { parseJson } from "@parley/base";

/** One step of a scene: something to send, to expect, or to let happen. */
export type Step =
	/** A frame, or a part of one, as it stands in the document. */
	| { readonly kind: "frame"; readonly line: number; readonly value: Readonly<Record<string, unknown>> }
	/** A line to send that is no JSON. */
	| { readonly kind: "text"; readonly line: number; readonly text: string }
	/** A request over HTTP and what answers it: the status, and the body where it is told. */
	| {
			readonly kind: "http";
			readonly line: number;
			readonly method: string;
			readonly path: string;
			readonly body: string;
			readonly status: number;
			readonly answer: string;
	  }
	/** What the document does not show: `<!-- do: WORDS -->`. */
	| { readonly kind: "do"; readonly line: number; readonly words: string };

/** The examples under one heading, which belong together: one connection, one session. */
export interface Scene {
	readonly heading: string;
	/** Where it plays: `<!-- stage: NAME -->`, else `offline`. */
	readonly stage: string;
	/** Of the process that plays it: what follows `started with` behind a fence. */
	readonly flags: readonly string[];
	readonly steps: readonly Step[];
}

interface OpenScene extends Scene {
	stage: string;
	readonly flags: string[];
	readonly steps: Step[];
}

/** The scenes of a document, in its order; throws where an example is no JSON. */
export function readScenes(markdown: string): Scene[] {
	const scenes: OpenScene[] = [{ heading: "", stage: "offline", flags: [], steps: [] }];
	const lines = markdown.split("\n");
	for (let at = 0; at < lines.length; at++) {
		const line = lines[at] ?? "";
		const scene = scenes.at(-1);
		const [, heading] = /^#+ (.*)$/.exec(line) ?? [];
		const [, language, flags] = /^```(json|http)(?: started with (.+))?$/.exec(line) ?? [];
		if (heading !== undefined) scenes.push({ heading, stage: "offline", flags: [], steps: [] });
		else if (language !== undefined) {
			const end = lines.indexOf("```", at);
			const block = { first: at + 2, lines: lines.slice(at + 1, end) };
			scene?.steps.push(...(language === "json" ? readFrames(block) : [readHttp(block)]));
			scene?.flags.push(...(flags?.split(" ") ?? []));
			at = end;
		} else if (scene) readRemark(line, at + 1, scene);
	}
	return scenes.filter(({ steps }) => steps.length > 0);
}

/** What readers of the rendered document do not see. */
function readRemark(text: string, line: number, scene: OpenScene): void {
	const [, word, words = ""] = /^<!-- (stage|do): (.*) -->$/.exec(text) ?? [];
	if (word === "stage") scene.stage = words;
	else if (word === "do") scene.steps.push({ kind: "do", line, words });
}

interface Block {
	/** The number of its first line in the document. */
	readonly first: number;
	readonly lines: readonly string[];
}

/** Whatever is not indented begins something. What begins with a brace is a frame, and ends before the next beginning. */
function readFrames({ first, lines }: Block): Step[] {
	const starts = lines.flatMap((line, index) => (/^\S/.test(line) ? [index] : []));
	return starts.map((start, index) => {
		const line = first + start;
		const text = lines.slice(start, starts[index + 1]).join("\n");
		if (!text.startsWith("{")) return { kind: "text", line, text };
		// True because the text began with a brace and could be read.
		return { kind: "frame", line, value: parseJson(text) as Readonly<Record<string, unknown>> };
	});
}

/** `METHOD PATH`, a body until a blank line where there is one, then the status and the answer. */
function readHttp({ first, lines }: Block): Step {
	const [request = "", ...rest] = lines;
	const [, method = "", path = ""] = /^(GET|POST) (\S+)$/.exec(request) ?? [];
	const at = rest.findIndex((line) => /^\d{3}$/.test(line));
	if (path === "" || at < 0) throw new Error(`line ${first}: no request with its status`);
	return {
		...{ kind: "http", line: first, method, path },
		body: rest.slice(0, at).join("\n").trim(),
		status: Number(rest[at]),
		answer: rest
			.slice(at + 1)
			.join("\n")
			.trim(),
	};
}
