import { DiscordSite } from "./discord-site.ts";
import { playScenes } from "./play-scenes.ts";
import { quorum } from "./scenes/quorum.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(DiscordSite, quorum);
playScenes(SlackSite, quorum);
