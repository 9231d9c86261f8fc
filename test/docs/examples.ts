import { parseJson } from "@parley/base";

/** A step of a scene: a frame to send or expect, a request, or an instruction for the player. */
export type Step =
	/** A complete frame or a part of a frame, as in the document. */
	| { readonly kind: "frame"; readonly line: number; readonly value: Readonly<Record<string, unknown>> }
	/** A line to send that is not a JSON object. */
	| { readonly kind: "text"; readonly line: number; readonly text: string }
	/** An HTTP request with its response. `body` and `answer` are "" if the document omits them. */
	| {
			readonly kind: "http";
			readonly line: number;
			readonly method: string;
			readonly path: string;
			readonly body: string;
			readonly status: number;
			readonly answer: string;
	  }
	/** An instruction in an HTML comment of the document: `<!-- do: WORDS -->`. */
	| { readonly kind: "do"; readonly line: number; readonly words: string };

/** The examples under one heading, which are played in order on the same stage. */
export interface Scene {
	readonly heading: string;
	/** Name in `<!-- stage: NAME -->`. By default, `offline`. */
	readonly stage: string;
	/** Flags of the process: the words after `started with` at a fence. */
	readonly flags: readonly string[];
	readonly steps: readonly Step[];
}

interface OpenScene extends Scene {
	stage: string;
	readonly flags: string[];
	readonly steps: Step[];
}

/**
 * Returns the scenes of a document in order. Throws if a frame is invalid JSON, or if an HTTP example has no status.
 */
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

function readRemark(text: string, line: number, scene: OpenScene): void {
	const [, word, words = ""] = /^<!-- (stage|do): (.*) -->$/.exec(text) ?? [];
	if (word === "stage") scene.stage = words;
	else if (word === "do") scene.steps.push({ kind: "do", line, words });
}

interface Block {
	/** Line number of the block's first line in the document. */
	readonly first: number;
	readonly lines: readonly string[];
}

/** Splits a block into steps. Each unindented line starts a step. A step that starts with a brace is a frame. */
function readFrames({ first, lines }: Block): Step[] {
	const starts = lines.flatMap((line, index) => (/^\S/.test(line) ? [index] : []));
	return starts.map((start, index) => {
		const line = first + start;
		const text = lines.slice(start, starts[index + 1]).join("\n");
		if (!text.startsWith("{")) return { kind: "text", line, text };
		// The cast is safe because a JSON text that starts with a brace is an object.
		return { kind: "frame", line, value: parseJson(text) as Readonly<Record<string, unknown>> };
	});
}

/** Reads `METHOD PATH`, an optional body, a line with the status, and an optional response body. */
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
