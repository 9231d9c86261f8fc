import type { Clock, Timer } from "@parley/base";
import type { ClientState } from "@parley/protocol";

/** State of the agent, as members of a platform may see it. */
export type Health = "working" | "gateway-unreachable" | "model-failing";

/** Time in milliseconds after which an unreachable gateway is reported. A restart of the gateway takes some seconds. */
const graceMs = 10_000;

/**
 * Derives the health of the agent from the states of the gateway and the model. Reports each change of the health once.
 * The initial health is `working`, which is not reported.
 */
export class HealthReport {
	readonly #clock: Clock;
	readonly #report: (health: Health) => void;
	#isReached = true;
	#isModelFailing = false;
	#reported: Health = "working";
	#timer: Timer | undefined;
	#isStopped = false;

	constructor(clock: Clock, report: (health: Health) => void) {
		this.#clock = clock;
		this.#report = report;
	}

	gateway(state: ClientState): void {
		if (state === "open") {
			this.#timer?.cancel();
			this.#timer = undefined;
			this.#isReached = true;
			this.#update();
			return;
		}
		// A stop closes the connection last. A timer started then would delay the end of the process.
		if (this.#isStopped) return;
		this.#timer ??= this.#clock.after(graceMs, () => {
			this.#isReached = false;
			this.#update();
		});
	}

	model(isFailing: boolean): void {
		this.#isModelFailing = isFailing;
		this.#update();
	}

	stop(): void {
		this.#isStopped = true;
		this.#timer?.cancel();
	}

	#update(): void {
		const health = !this.#isReached
			? "gateway-unreachable"
			: this.#isModelFailing
				? "model-failing"
				: "working";
		if (health === this.#reported) return;
		this.#reported = health;
		this.#report(health);
	}
}
