import { playScenes } from "./play-scenes.ts";
import { unseenJoins } from "./scenes/lost-database.ts";
import { slackStatus } from "./scenes/slack-status.ts";
import { SlackSite } from "./slack-site.ts";

playScenes(SlackSite, [...unseenJoins, ...slackStatus]);
