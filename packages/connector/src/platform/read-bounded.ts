import { ParleyError } from "@parley/base";

/** The bytes of a stream. Rejects with `resource_exhausted` as soon as there are more than `most`. */
export async function readBounded(
	chunks: AsyncIterable<Uint8Array>,
	most: number,
	name: string,
): Promise<Buffer> {
	const read: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of chunks) {
		size += chunk.length;
		if (size > most) {
			throw new ParleyError(`${name} is longer than ${most} bytes`, { code: "resource_exhausted" });
		}
		read.push(chunk);
	}
	return Buffer.concat(read);
}

/** Whether a server that answered with this status may answer otherwise later: RFC 9110, section 15, and RFC 6585. */
export function mayPass(status: number): boolean {
	return status >= 500 || status === 408 || status === 425 || status === 429;
}
