import { type InspectorNotification, type Runtime, console as reported } from "node:inspector";
import type { Session } from "node:inspector/promises";

/**
 * Depth of calls between two points in the handling of one message, from the async stack traces of V8's inspector. A
 * trace includes callers that awaited a function, and callers that started a function and continued. The depth is the
 * number of our functions above the second point that are not above the first point.
 */
export class CallDepth {
	readonly #inspector: Session;
	/** Functions in the call stack of each point, innermost first. */
	readonly #above = new Map<string, readonly string[]>();

	private constructor(inspector: Session) {
		this.#inspector = inspector;
	}

	static async start(inspector: Session): Promise<CallDepth> {
		const depth = new CallDepth(inspector);
		inspector.on("Runtime.consoleAPICalled", depth.#receive);
		await inspector.post("Runtime.enable");
		await inspector.post("Runtime.setAsyncCallStackDepth", { maxDepth: maxTraces });
		return depth;
	}

	/** Marks a point: the inspector reports the complete stack of each `console.trace`. */
	mark(place: string): void {
		reported.trace(place);
	}

	between(outer: string, inner: string): readonly string[] {
		const known = new Set(this.#above.get(outer));
		const above = this.#above.get(inner) ?? [];
		const path = above.filter((name) => !known.has(name));
		// If the two stacks have no common caller, the inspector has truncated one of them.
		if (path.length === above.length) throw new Error(`no stack leads from ${outer} to ${inner}`);
		return path.toReversed();
	}

	/** Stops the traces, which use CPU and run functions of Node. */
	async stop(): Promise<void> {
		this.#inspector.off("Runtime.consoleAPICalled", this.#receive);
		await this.#inspector.post("Runtime.setAsyncCallStackDepth", { maxDepth: 0 });
		await this.#inspector.post("Runtime.disable");
	}

	readonly #receive = ({ params }: InspectorNotification<Runtime.ConsoleAPICalledEventDataType>): void => {
		const [place] = params.args;
		this.#above.set(String(place?.value), functionsIn(params.stackTrace));
	};
}

/** Maximum depth of async stack traces, sufficient to trace a message to its socket. */
const maxTraces = 200;

function functionsIn(innermost: Runtime.StackTrace | undefined): string[] {
	const names = new Set<string>();
	for (let trace = innermost; trace; trace = trace.parent) {
		for (const { functionName, url } of trace.callFrames) {
			const [, file] = /\/packages\/(.+\/src\/.+)$/.exec(url) ?? [];
			if (file !== undefined) names.add(`${functionName || "(anonymous)"} in ${file}`);
		}
	}
	return [...names];
}
