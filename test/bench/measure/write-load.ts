import { DrainClient } from "./drain-client.ts";
import { openSession, request } from "./requests.ts";

/**
 * Clients that send messages until the gateway is killed, with a record of the messages that the gateway has
 * acknowledged.
 */
export class WriteLoad {
	readonly acknowledged: { readonly session: string; readonly content: string }[] = [];
	readonly #clients: DrainClient[] = [];
	#ended = false;
	#count = 0;

	/**
	 * Starts `people` clients that send messages in succession, and the same number of clients that receive a reply of
	 * two seconds.
	 */
	async begin(port: number, people: number): Promise<void> {
		for (let n = 0; n < people; n++) {
			const [author, listener] = [await this.#connect(port), await this.#connect(port)];
			const listening = listener.until("assistant.stream");
			await openSession(listener, {});
			listener.send(request("send_message", { content: "long: 400 tokens at 200 per second" }));
			await listening;
			const session = await openSession(author, {});
			void this.#talk(author, session);
		}
	}

	end(): void {
		this.#ended = true;
		for (const client of this.#clients) client.close();
	}

	async #connect(port: number): Promise<DrainClient> {
		const client = await DrainClient.open(port, "/api/ws");
		this.#clients.push(client);
		return client;
	}

	async #talk(client: DrainClient, session: string): Promise<void> {
		while (!this.#ended) {
			this.#count += 1;
			const content = `say: message ${this.#count} of ${session}`;
			const replied = client.until("assistant.message");
			const accepted = client.until('"ok":true');
			client.send(request("send_message", { content }));
			await accepted;
			this.acknowledged.push({ session, content });
			await replied;
		}
	}
}
