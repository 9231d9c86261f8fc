export interface Body {
	readonly bytes: Buffer<ArrayBuffer>;
	/** Whether the body is longer than the limit. */
	readonly cut: boolean;
}

/**
 * Resolves with at most the first `limit` bytes of the chunks. Copies all chunks to one buffer, because a body can have
 * millions of one-byte chunks.
 */
export async function collect(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Body> {
	const bytes = Buffer.allocUnsafe(limit);
	let used = 0;
	for await (const chunk of chunks) {
		bytes.set(chunk.subarray(0, limit - used), used);
		used += chunk.length;
		if (used > limit) return { bytes, cut: true };
	}
	return { bytes: bytes.subarray(0, used), cut: false };
}
