import { expect, test } from "vitest";
import { EventQueue } from "./event-queue.ts";

test("a reader gets earlier and later frames in order", async () => {
	const queue = new EventQueue<{ n: number }>(10);
	queue.push({ n: 1 });
	const reader = queue.read();
	expect((await reader.next()).value).toEqual({ n: 1 });
	const second = reader.next();
	queue.push({ n: 2 });
	queue.push({ n: 3 });
	expect((await second).value).toEqual({ n: 2 });
	expect((await reader.next()).value).toEqual({ n: 3 });
});

test("the queue is full at its limit, and reports empty when the reader waits", async () => {
	let emptied = 0;
	const queue = new EventQueue<object>(2, () => {
		emptied += 1;
	});
	queue.push({});
	expect(queue.isFull).toBe(false);
	queue.push({});
	expect(queue.isFull).toBe(true);
	const reader = queue.read();
	await reader.next();
	await reader.next();
	expect(emptied).toBe(0);
	const third = reader.next();
	queue.push({});
	await third;
	expect(emptied).toBe(1);
});

test("an end drops the remaining frames, and an error comes after them", async () => {
	const ended = new EventQueue<object>(10);
	ended.push({});
	ended.end();
	expect(await Array.fromAsync(ended.read())).toEqual([]);

	const failed = new EventQueue<{ n: number }>(10);
	failed.push({ n: 1 });
	failed.fail(new Error("lost"));
	const reader = failed.read();
	expect((await reader.next()).value).toEqual({ n: 1 });
	await expect(reader.next()).rejects.toThrow("lost");
});

test("an end resumes a waiting reader", async () => {
	const queue = new EventQueue<object>(10);
	const next = queue.read().next();
	queue.end();
	expect((await next).done).toBe(true);
});

test("concurrent calls are served in order, and all get the end", async () => {
	const queue = new EventQueue<{ n: number }>(10);
	const pending = [queue.next(), queue.next(), queue.next(), queue.next()];
	for (const n of [1, 2]) queue.push({ n });
	expect(queue.isFull).toBe(false);
	queue.end();
	expect(await Promise.all(pending)).toEqual([{ n: 1 }, { n: 2 }, undefined, undefined]);
});

test("all waiting calls get an error, and later calls, too", async () => {
	const queue = new EventQueue<object>(10);
	const both = [queue.next(), queue.next()].map((next) => expect(next).rejects.toThrow("lost"));
	queue.fail(new Error("lost"));
	await Promise.all(both);
	await expect(queue.next()).rejects.toThrow("lost");
});
