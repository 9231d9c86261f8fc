/** Errors of access requests and codes. */
export const pairingTexts = {
	onlyChat: "only chat users can pair: send the request through a connector, and name the person",
	needsPlatform: (tenant: string): string => `the tenant ${tenant} needs its platform: give both`,
	noRequest: (code: string): string =>
		`no open access request has the code ${JSON.stringify(code)}: parley people list shows the open requests`,
	noneOpen: (named: string): string =>
		`no open access request or invitation has the code or id ${JSON.stringify(named)}: parley people list shows the ids`,
	tooManyTries: (max: number): string =>
		`you tried ${max} codes within a minute: wait a minute, then try again`,
	askForCode: "ask the operator for another code (parley people pair)",
	notCode: (advice: string): string =>
		`this is not a pairing code: a code has 8 letters and digits, without I, O, 0 and 1. Check the code, or ${advice}`,
	ownRequest:
		"this code belongs to your own access request: send it to the operator, who approves it with parley people approve",
	wrongCode: (advice: string): string =>
		`this code is wrong: no invitation has it. Check the code, or ${advice}`,
	elsewhere: (advice: string): string =>
		`this code is for another server, workspace or platform: use it there, or ${advice}`,
	used: (advice: string): string => `this code was already used or withdrawn: ${advice}`,
	expired: (advice: string): string =>
		`this code has expired, because a code is valid for an hour: ${advice}`,
	tooManyRequests: (max: number): string =>
		`${max} access requests are already open here: ask the operator to approve or deny some of them ` +
		"(parley people), or try again in an hour",
	noOwner: (platform: string, tenant: string): string =>
		`no owner has paired here yet (${platform}:${tenant}): ask the operator for an owner's code ` +
		"(parley people pair --role owner), then pair with it here",
} as const;

export const peopleTexts = {
	blocked: (person: string): string =>
		`the operator blocks ${person} (chat.people.deny): only the operator can change this`,
	noStoredRole: (person: string): string =>
		`${person} has no stored role: parley people list shows the people with stored roles; roles in the configuration ` +
		"(chat.people) can only be removed there",
} as const;

export const tenantTexts = {
	notAllowed: (platform: string, tenant: string): string =>
		`connectors of ${platform} may not act for this server or workspace (${tenant}). Let the first owner pair with a code from ` +
		`\`parley people pair --role owner\`, or add ${tenant} to chat.tenants.${platform} in the configuration`,
	tokenInvalid: (platform: string, tenant: string): string =>
		`the token of this ${platform} connector is not valid for this server or workspace (${tenant}). Let an owner pair with a code from ` +
		`\`parley people pair --role owner\`. Or create another token: \`parley token create connector NAME --platform ${platform} --tenant ${tenant}\``,
} as const;
