import { expect, test } from "vitest";
import { describeFailure } from "./handshake.ts";

const url = new URL("wss://parley.example/api/ws");

test.each([
	["ERR_TLS_CERT_ALTNAME_INVALID", /cannot be trusted: why; use a name that its certificate has/],
	["CERT_HAS_EXPIRED", /cannot be trusted: why; its operator must renew/],
	["DEPTH_ZERO_SELF_SIGNED_CERT", /cannot be trusted: why; .*set NODE_EXTRA_CA_CERTS to its file/],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /set NODE_EXTRA_CA_CERTS to its file/],
	["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", /set NODE_EXTRA_CA_CERTS to its file/],
	["EPROTO", /if it does not use TLS, use an address that begins with http$/],
	["ECONNREFUSED", /^no gateway listens at wss:.*: start one with `parley start`$/],
	["ETIMEDOUT", /^no gateway can be reached at wss:[^ ]*: why; check the address and the network$/],
])("the description of a failed connection (%s) has advice", (code, words) => {
	expect(describeFailure(Object.assign(new Error("why"), { code }), url)).toMatch(words);
});
