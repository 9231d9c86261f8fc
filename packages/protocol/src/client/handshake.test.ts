import { expect, test } from "vitest";
import { describeFailure } from "./handshake.ts";

const url = new URL("wss://parley.example/api/ws");

test.each([
	["ERR_TLS_CERT_ALTNAME_INVALID", /cannot be trusted: why; call it by a name that its certificate has/],
	["CERT_HAS_EXPIRED", /cannot be trusted: why; its operator has to renew/],
	["DEPTH_ZERO_SELF_SIGNED_CERT", /cannot be trusted: why; .*NODE_EXTRA_CA_CERTS$/],
	["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /NODE_EXTRA_CA_CERTS$/],
	["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", /NODE_EXTRA_CA_CERTS$/],
	["EPROTO", /perhaps it speaks http there, not https$/],
	["ECONNREFUSED", /^no gateway listens at wss:.*: start one with `parley start`$/],
	["ETIMEDOUT", /^no gateway can be reached at wss:[^ ]*: why$/],
])("the description of a failed connection (%s) has advice", (code, words) => {
	expect(describeFailure(Object.assign(new Error("why"), { code }), url)).toMatch(words);
});
