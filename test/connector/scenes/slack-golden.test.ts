import { drawSlack } from "../gallery/draw-slack.ts";
import { playGolden } from "./play-golden.ts";
import { SlackSite } from "./slack-site.ts";

playGolden(SlackSite, drawSlack);
