export const imageTexts = {
	refusedByProvider:
		"the provider refused the request that contained it; attach a smaller or different image",
	sendSmaller: (reason: string): string => `${reason}; send a smaller image, or fewer images`,
	notCopied: "an attachment could not be copied into the working directory",
	repeatedWithout: (reason: string, images: string): string => `${reason}; repeated without ${images}`,
	oldest: "the oldest images",
	removed: "removed: the provider refused the request that contained it; read a smaller copy",
	ofTools: "the images that tools read",
	notShown: (text: string, reason: string): string =>
		`${text}\n[not shown: ${reason}; read a smaller copy, or fewer images at once]`,
	madeRoom: "removed to make room",
	reloadImages: (reason: string): string => `${reason}: read it again if you need it`,
	askAgain: (reason: string): string => `${reason}: ask for it again if you need it`,
	cleared: (text: string, reason: string): string => `${text}\n[its image was ${reason}]`,
} as const;
