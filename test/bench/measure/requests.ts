import type { DrainClient } from "./drain-client.ts";

let count = 0;

export function request(method: string, params: object): string {
	count++;
	return JSON.stringify({ type: "req", id: `r${count}`, method, params });
}

export async function openSession(client: DrainClient, params: object): Promise<string> {
	const answered = client.nextText();
	client.send(request("open_session", params));
	const answer = await answered;
	const [, id] = /"session_id":"(sess_[^"]+)"/.exec(answer) ?? [];
	if (id === undefined) throw new Error(`the session was not opened: ${answer}`);
	return id;
}
