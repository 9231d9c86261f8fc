import { expect, test } from "vitest";
import { StderrWriter } from "./log.ts";

function pipe(room: number, onPause: (pipe: { room: number }) => void = () => undefined) {
	const state = { room, text: "", pauses: 0, error: "EAGAIN" };
	const writer = new StderrWriter({
		write(bytes) {
			if (state.room === 0) throw Object.assign(new Error("cannot be written"), { code: state.error });
			const part = bytes.subarray(0, state.room);
			state.text += part.toString();
			state.room -= part.length;
			return part.length;
		},
		pause() {
			state.pauses += 1;
			onPause(state);
		},
	});
	return { state, writer };
}

test("a line waits for a slow reader", () => {
	const { state, writer } = pipe(3, (written) => {
		written.room += 3;
	});
	expect(writer.write("one line\n")).toBe(true);
	expect(state).toMatchObject({ text: "one line\n", pauses: 2 });
	expect(writer.drainLost()).toBe(0);
});

test("a slow reader delays a line only briefly, and the next lines not at all", () => {
	const { state, writer } = pipe(0);
	expect(writer.write("a\n")).toBe(false);
	expect(state.pauses).toBe(10);
	for (let line = 0; line < 1000; line++) writer.write("b\n");
	expect(state.pauses).toBe(10);
	state.room = 100;
	expect(writer.write("c\n")).toBe(true);
	expect(state.text).toBe("c\n");
	expect(writer.drainLost()).toBe(1001);
	expect(writer.drainLost()).toBe(0);
});

test("after a line that was cut off, the next one starts on a new line", () => {
	const { state, writer } = pipe(3);
	expect(writer.write("first\n")).toBe(false);
	state.room = 100;
	expect(writer.write("second\n")).toBe(true);
	expect(writer.write("third\n")).toBe(true);
	expect(state.text).toBe("fir\nsecond\nthird\n");
});

test("a line that does not fit on a full disk is lost at once", () => {
	const { state, writer } = pipe(0);
	state.error = "ENOSPC";
	expect(writer.write("a\n")).toBe(false);
	expect(state.pauses).toBe(0);
});
