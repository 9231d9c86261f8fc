/**
 * What credentials look like when nobody registered them. Each pattern takes linear time: repetitions are bounded, or
 * cannot start again inside what they have just consumed.
 */
export const shapes: readonly RegExp[] = [
	// Slack: https://docs.slack.dev/authentication/tokens
	/xox[abeprs](?:\.xox[bp])?-[\w-]{8,}/g,
	/xapp-[\w-]{8,}/g,
	/sk-ant-[\w-]{8,}/g,
	// GitHub: https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/
	/gh[pousr]_[A-Za-z0-9]{16,}/g,
	/github_pat_\w{16,}/g,
	// AWS access key ids: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids
	/A(?:KIA|SIA)[0-9A-Z]{16}/g,
	// Discord bot tokens: user id, time and signature, each base64url.
	/(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,45}/g,
	/(?<![\w-])eyJ[\w-]{5,}\.eyJ[\w-]{5,}\.[\w-]*/g,
	// Private keys, also when the end is cut off and when the line breaks are escaped (RFC 7468).
	/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s\\:,]|-(?!----))*(?:-----END [A-Z0-9 ]{0,60}-----)?/g,
	// The gateway's own tokens.
	/gw_[\w-]{16,}/g,
];

/** How what has one of these shapes begins, so that a text in the making can be held back in time. */
export const openings = [
	...["xox[abeprs]", "xapp", "sk-a", "gh[pousr]_", "gith", "AKIA", "ASIA", "eyJ[\\w-]", "gw_[\\w-]"],
	...["-----B", "[MNO][\\w-]{11}"],
];
/** Characters of the longest of them. */
export const openingLength = 12;
