export const imageTexts = {
	refusedByProvider: "the provider refused the request that contained it",
	sendSmaller: (why: string): string => `${why}; send a smaller image, or fewer images`,
	notCopied: "an attachment could not be copied into the working directory",
	repeatedWithout: (reason: string, images: string): string => `${reason}; repeated without ${images}`,
	oldest: "the oldest images",
	removed: "removed: the provider refused the request that contained it",
	ofTools: "the images that tools read",
	notShown: (text: string, why: string): string =>
		`${text}\n[not shown: ${why}; read a smaller copy, or fewer at once]`,
	madeRoom: "removed to make room",
	reloadImages: (why: string): string => `${why}: read it again if you need it`,
	askAgain: (why: string): string => `${why}: ask for it again if you need it`,
	cleared: (text: string, why: string): string => `${text}\n[its image was ${why}]`,
} as const;
