/** Status below the name of the bot, for all members of a server. Empty if it works. */
export const presenceTexts = {
	working: "",
	"gateway-unreachable": "Not connected to the gateway",
	"model-failing": "The model does not answer",
} as const;
