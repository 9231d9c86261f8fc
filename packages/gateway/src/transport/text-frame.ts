/** The first byte of a final text frame (RFC 6455, 5.2). */
const finalText = 0x81;

/** One unmasked WebSocket text frame, ready for any number of sockets. */
export function frameText(text: string): Buffer {
	const length = Buffer.byteLength(text);
	const start = length < 126 ? 2 : length < 65_536 ? 4 : 10;
	const frame = Buffer.allocUnsafe(start + length);
	frame[0] = finalText;
	if (start === 2) frame[1] = length;
	else if (start === 4) {
		frame[1] = 126;
		// Byte by byte: this is done for every delta, and the checks of `writeUInt16BE` cost as much as all the rest.
		frame[2] = length >> 8;
		frame[3] = length & 0xff;
	} else {
		frame[1] = 127;
		frame.writeBigUInt64BE(BigInt(length), 2);
	}
	frame.write(text, start);
	return frame;
}
