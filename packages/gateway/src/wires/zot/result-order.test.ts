import { expect, test } from "vitest";
import { ResultOrder } from "./result-order.ts";

const result = (id: string) => ({ type: "tool_result" as const, id, is_error: false, content: [] });

test("results are told in the order of their calls, each as soon as it can be", () => {
	const order = new ResultOrder();
	order.expect(["a", "b", "c", "d"]);
	const told = ["b", "a", "d", "c"].map((id) => order.take(result(id)).map((one) => one.id));
	expect(told).toEqual([[], ["a", "b"], [], ["c", "d"]]);
});

test("at the end no call is without a result", () => {
	const order = new ResultOrder();
	order.expect(["a", "b", "c"]);
	order.take(result("a"));
	order.take(result("c"));
	const left = order.end((id) => ({ ...result(id), is_error: true }));
	expect(left).toEqual([{ ...result("b"), is_error: true }, result("c")]);
	expect(order.end(result)).toEqual([]);
});

test("what belongs to no call that is known is told at once", () => {
	const order = new ResultOrder();
	order.expect(["a", "b"]);
	expect(order.take(result("x"))).toEqual([result("x")]);
	expect(order.take(result("b"))).toEqual([]);
	order.expect(["c"]);
	expect(order.take(result("c"))).toEqual([result("c")]);
	expect(order.take(result("b"))).toEqual([result("b")]);
});
