import { type Clock, ParleyError, type Timer } from "@parley/base";

/** After the end, what is on its way has this long. */
const graceMs = 5000;

/** Calls to Slack that are on their way: some may take minutes, for which nobody waits who stops. */
export class OnTheWay {
	readonly #clock: Clock;
	readonly #over = new AbortController();
	#running = 0;
	/** Monotonic. */
	#endsAt: number | undefined;
	#timer: Timer | undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Aborts when nothing is waited for any more. */
	get signal(): AbortSignal {
		return this.#over.signal;
	}

	async run<Result>(call: () => Promise<Result>): Promise<Result> {
		this.#running += 1;
		this.#wait();
		try {
			return await call();
		} finally {
			this.#running -= 1;
			this.#wait();
		}
	}

	end(): void {
		this.#endsAt ??= this.#clock.monotonic() + graceMs;
		this.#wait();
	}

	/** No timer is left where nothing is on its way. */
	#wait(): void {
		if (this.#running > 0 && this.#endsAt !== undefined) {
			const leftMs = this.#endsAt - this.#clock.monotonic();
			this.#timer ??= this.#clock.after(leftMs, () => {
				this.#over.abort(new ParleyError("the connector stops", { code: "cancelled" }));
			});
		} else {
			this.#timer?.cancel();
			this.#timer = undefined;
		}
	}
}
