import { expect, test } from "vitest";
import { serverUrl } from "./server-access.ts";

test.each([
	["https://me:hunter2@llm.example", '"https://…@llm.example"'],
	["https://me:hun/ter2@llm.example", '"https://…@llm.example"'],
	["me:hunter2@llm.example/v1", '"…@llm.example/v1"'],
	["ftp://llm.example", '"ftp://llm.example"'],
])("an invalid base URL shows no password: %s", (url, shown) => {
	const read = () => serverUrl(url, "acme");
	expect(read).toThrow(`invalid base URL ${shown} of acme`);
	expect(read).not.toThrow(/hun|ter2/);
});

test("a valid base URL is returned unchanged", () => {
	expect(serverUrl("http://localhost:8080/v1", "acme").href).toBe("http://localhost:8080/v1");
});
