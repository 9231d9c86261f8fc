/** The interactions whose first answer is on its way: before it has arrived there is nothing to follow up on. */
export class Tickets {
	readonly #open = new Map<string, Promise<unknown>>();

	open(id: string, answered: Promise<unknown>): void {
		const settled = answered.then(
			() => this.#open.delete(id),
			() => this.#open.delete(id),
		);
		this.#open.set(id, settled);
	}

	/** Resolves when the first answer has arrived, or has failed, or was never made by this process. */
	async answered(id: string): Promise<void> {
		await this.#open.get(id);
	}
}
