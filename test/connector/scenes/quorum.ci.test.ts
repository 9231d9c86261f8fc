import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { discordQuorum, quorum, slackQuorum } from "./scenes/quorum.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(DiscordSite, [...quorum, ...discordQuorum]);
playScenes(SlackSite, [...quorum, ...slackQuorum]);
