/* All that the pages say, in three languages. The language of a page is that of its <html> element. */

const WORDS = {
  en: {
    player: "Player", banker: "Banker", tie: "Tie", B: "B", P: "P", T: "T",
    shoe: "Shoe", round: "Round", wager: "Wager", pays: "Pays", limits: "Min – max", side_wagers: "Side wagers",
    bead_plate: "Bead plate", big_road: "Big road", big_eye: "Big eye boy", small: "Small road", cockroach: "Cockroach road",
    banker_pair: "Banker pair", player_pair: "Player pair", natural: "Natural",
    player_wins: "Player wins", banker_wins: "Banker wins", tie_wins: "Tie",
    unverified: "Shoe not verified",
    not_live: "Not live", not_live_broker: "The connection is interrupted. What you see may be old.",
    not_live_controller: "The table is not connected. What you see may be old.",
    not_live_unknown: "Nothing has been heard of this table yet.", not_live_page: "The connection is interrupted. What you see may be old.",
    trouble: "One moment please",
    no_shoe: "The next shoe is being prepared", first_card: "New shoe", burning: "New shoe", betting: "Place your bets",
    closed: "No more bets", dealing: "No more bets", complete: "No more cards", ended: "The shoe is finished",
    free: "Free hand, no bets", last: "Last round of this shoe",
    void: "Round {n} is void", void_again: "Round {n} is dealt again", round_n: "Round {n}",
    round_limit: "Side wagers together pay at most {amount} a round.",
    round_limit_starred: "Wagers with * together pay at most {amount} a round.", commission: "Wager, commission {rate}",
    push: "push", otherwise: "otherwise",
    player_first: "Player’s first card", banker_first: "Banker’s first card",
    player_second: "Player’s second card", banker_second: "Banker’s second card",
    banker_has_drawn: "Banker has drawn to {banker}: no more cards",
    third_banker_draws: "Banker {banker}, Player’s third card {third}: Banker draws",
    third_banker_stands: "Banker {banker}, Player’s third card {third}: Banker stands",
    player_natural: "Player has a natural {player}", banker_natural: "Banker has a natural {banker}",
    both_natural: "Naturals: Player {player}, Banker {banker}",
    player_draws: "Player has {player}: Player draws",
    banker_draws: "Player stands on {player}, Banker has {banker}: Banker draws",
    both_stand: "Player stands on {player}, Banker stands on {banker}",
    face_down: "Cards are face down",
    winner_player: "Player wins", winner_banker: "Banker wins", winner_tie: "tie",
    margin: "by {n}", player_total: "Player {n}", banker_total: "Banker {n}", player_cards: "{n} cards", banker_cards: "{n} cards",
    both_player_cards: "Player {n} cards", both_banker_cards: "Banker {n} cards", winning_total: "wins with {n}", losing_total: "against {n}", winning_cards: "winner {n} cards", losing_cards: "loser {n} cards",
    player_natural_true: "natural", banker_natural_true: "natural", winning_natural_true: "natural",
    player_natural_false: "not natural", banker_natural_false: "not natural", winning_natural_false: "not natural",
    losing_natural_true: "against a natural", losing_natural_false: "not against a natural",
    player_pair_true: "Player pair", banker_pair_true: "Banker pair", player_pair_false: "no Player pair", banker_pair_false: "no Banker pair",
    player_suited_true: "Player suited", banker_suited_true: "Banker suited", player_suited_false: "Player not suited", banker_suited_false: "Banker not suited",
    or: " or ", comma: ", ",
    pit: "Pit", tables: "{n} tables", attention: "{n} need attention", all_well: "All is well", per_hour: "{n} / h", no_tables: "No table has been heard of yet.",
    pit_no_shoe: "No shoe", pit_first_card: "First card", pit_burning: "Burning", pit_betting: "Betting", pit_closed: "Bets closed",
    pit_dealing: "Dealing", pit_complete: "To be confirmed", pit_ended: "Shoe ended",
    no_link: "Shoe not connected", disk_full: "Disk full", refuses: "Broker refuses", offline: "Not live", waits: "New rules wait for the next shoe",
    shoe_link: "Shoe", broker: "Broker", disk: "Disk",
    cleared_by: "Cleared by {who}", ended_by: "Ended by {acts}", broker_down: "The board has lost the broker.", page_lost: "This page has lost the board.",
  },
  "zh-Hant": {
    player: "閒", banker: "莊", tie: "和", B: "莊", P: "閒", T: "和",
    shoe: "靴", round: "局", wager: "投注", pays: "賠率", limits: "最低 – 最高", side_wagers: "邊注",
    bead_plate: "珠盤路", big_road: "大路", big_eye: "大眼仔", small: "小路", cockroach: "曱甴路",
    banker_pair: "莊對", player_pair: "閒對", natural: "例牌",
    player_wins: "閒贏", banker_wins: "莊贏", tie_wins: "和局",
    unverified: "牌靴未驗證",
    not_live: "非即時", not_live_broker: "連線中斷，顯示內容可能並非最新。",
    not_live_controller: "賭枱未連線，顯示內容可能並非最新。",
    not_live_unknown: "尚未收到此賭枱的資料。", not_live_page: "連線中斷，顯示內容可能並非最新。",
    trouble: "請稍候",
    no_shoe: "正在準備新牌靴", first_card: "新牌靴", burning: "新牌靴", betting: "請下注",
    closed: "停止下注", dealing: "停止下注", complete: "不再補牌", ended: "本靴結束",
    free: "飛牌，不設投注", last: "本靴最後一局",
    void: "第 {n} 局作廢", void_again: "第 {n} 局重新發牌", round_n: "第 {n} 局",
    round_limit: "每局邊注合共最高派彩 {amount}。", round_limit_starred: "每局有 * 的投注合共最高派彩 {amount}。", commission: "投注（佣金 {rate}）",
    push: "退注", otherwise: "其他",
    player_first: "閒家第一張牌", banker_first: "莊家第一張牌", player_second: "閒家第二張牌", banker_second: "莊家第二張牌",
    banker_has_drawn: "莊家補牌後 {banker} 點，不再補牌",
    third_banker_draws: "莊 {banker} 點，閒第三張 {third} 點：莊補牌",
    third_banker_stands: "莊 {banker} 點，閒第三張 {third} 點：莊停牌",
    player_natural: "閒家例牌 {player} 點", banker_natural: "莊家例牌 {banker} 點", both_natural: "例牌：閒 {player} 點，莊 {banker} 點",
    player_draws: "閒 {player} 點：閒補牌", banker_draws: "閒停於 {player} 點，莊 {banker} 點：莊補牌",
    both_stand: "閒停於 {player} 點，莊停於 {banker} 點", face_down: "牌未揭開",
    winner_player: "閒贏", winner_banker: "莊贏", winner_tie: "和局",
    margin: "勝 {n} 點", player_total: "閒 {n} 點", banker_total: "莊 {n} 點", player_cards: "{n} 張牌", banker_cards: "{n} 張牌",
    both_player_cards: "閒 {n} 張牌", both_banker_cards: "莊 {n} 張牌", winning_total: "{n} 點勝", losing_total: "對 {n} 點", winning_cards: "贏方 {n} 張牌", losing_cards: "輸方 {n} 張牌",
    player_natural_true: "例牌", banker_natural_true: "例牌", winning_natural_true: "例牌",
    player_natural_false: "非例牌", banker_natural_false: "非例牌", winning_natural_false: "非例牌",
    losing_natural_true: "對例牌", losing_natural_false: "對非例牌",
    player_pair_true: "閒對", banker_pair_true: "莊對", player_pair_false: "無閒對", banker_pair_false: "無莊對",
    player_suited_true: "閒同花", banker_suited_true: "莊同花", player_suited_false: "閒非同花", banker_suited_false: "莊非同花",
    or: " 或 ", comma: "，",
    pit: "賭枱總覽", tables: "{n} 張賭枱", attention: "{n} 張需要處理", all_well: "一切正常", per_hour: "每小時 {n} 局", no_tables: "尚未收到任何賭枱的資料。",
    pit_no_shoe: "無牌靴", pit_first_card: "首張牌", pit_burning: "銷牌", pit_betting: "下注中", pit_closed: "停止下注",
    pit_dealing: "發牌中", pit_complete: "待確認", pit_ended: "本靴結束",
    no_link: "牌靴未連線", disk_full: "磁碟已滿", refuses: "伺服器拒收", offline: "非即時", waits: "新規則待下一靴生效",
    shoe_link: "牌靴", broker: "伺服器", disk: "磁碟",
    cleared_by: "解除：{who}", ended_by: "結束方式：{acts}", broker_down: "看板與伺服器的連線中斷。", page_lost: "此頁與看板的連線中斷。",
  },
  "zh-Hans": {
    player: "闲", banker: "庄", tie: "和", B: "庄", P: "闲", T: "和",
    shoe: "靴", round: "局", wager: "投注", pays: "赔率", limits: "最低 – 最高", side_wagers: "边注",
    bead_plate: "珠盘路", big_road: "大路", big_eye: "大眼仔", small: "小路", cockroach: "小强路",
    banker_pair: "庄对", player_pair: "闲对", natural: "例牌",
    player_wins: "闲赢", banker_wins: "庄赢", tie_wins: "和局",
    unverified: "牌靴未验证",
    not_live: "非实时", not_live_broker: "连接中断，显示内容可能并非最新。",
    not_live_controller: "赌台未连接，显示内容可能并非最新。",
    not_live_unknown: "尚未收到此赌台的数据。", not_live_page: "连接中断，显示内容可能并非最新。",
    trouble: "请稍候",
    no_shoe: "正在准备新牌靴", first_card: "新牌靴", burning: "新牌靴", betting: "请下注",
    closed: "停止下注", dealing: "停止下注", complete: "不再补牌", ended: "本靴结束",
    free: "飞牌，不设投注", last: "本靴最后一局",
    void: "第 {n} 局作废", void_again: "第 {n} 局重新发牌", round_n: "第 {n} 局",
    round_limit: "每局边注合共最高派彩 {amount}。", round_limit_starred: "每局有 * 的投注合共最高派彩 {amount}。", commission: "投注（佣金 {rate}）",
    push: "退注", otherwise: "其他",
    player_first: "闲家第一张牌", banker_first: "庄家第一张牌", player_second: "闲家第二张牌", banker_second: "庄家第二张牌",
    banker_has_drawn: "庄家补牌后 {banker} 点，不再补牌",
    third_banker_draws: "庄 {banker} 点，闲第三张 {third} 点：庄补牌",
    third_banker_stands: "庄 {banker} 点，闲第三张 {third} 点：庄停牌",
    player_natural: "闲家例牌 {player} 点", banker_natural: "庄家例牌 {banker} 点", both_natural: "例牌：闲 {player} 点，庄 {banker} 点",
    player_draws: "闲 {player} 点：闲补牌", banker_draws: "闲停于 {player} 点，庄 {banker} 点：庄补牌",
    both_stand: "闲停于 {player} 点，庄停于 {banker} 点", face_down: "牌未揭开",
    winner_player: "闲赢", winner_banker: "庄赢", winner_tie: "和局",
    margin: "胜 {n} 点", player_total: "闲 {n} 点", banker_total: "庄 {n} 点", player_cards: "{n} 张牌", banker_cards: "{n} 张牌",
    both_player_cards: "闲 {n} 张牌", both_banker_cards: "庄 {n} 张牌", winning_total: "{n} 点胜", losing_total: "对 {n} 点", winning_cards: "赢方 {n} 张牌", losing_cards: "输方 {n} 张牌",
    player_natural_true: "例牌", banker_natural_true: "例牌", winning_natural_true: "例牌",
    player_natural_false: "非例牌", banker_natural_false: "非例牌", winning_natural_false: "非例牌",
    losing_natural_true: "对例牌", losing_natural_false: "对非例牌",
    player_pair_true: "闲对", banker_pair_true: "庄对", player_pair_false: "无闲对", banker_pair_false: "无庄对",
    player_suited_true: "闲同花", banker_suited_true: "庄同花", player_suited_false: "闲非同花", banker_suited_false: "庄非同花",
    or: " 或 ", comma: "，",
    pit: "赌台总览", tables: "{n} 张赌台", attention: "{n} 张需要处理", all_well: "一切正常", per_hour: "每小时 {n} 局", no_tables: "尚未收到任何赌台的数据。",
    pit_no_shoe: "无牌靴", pit_first_card: "首张牌", pit_burning: "销牌", pit_betting: "下注中", pit_closed: "停止下注",
    pit_dealing: "发牌中", pit_complete: "待确认", pit_ended: "本靴结束",
    no_link: "牌靴未连接", disk_full: "磁盘已满", refuses: "服务器拒收", offline: "非实时", waits: "新规则待下一靴生效",
    shoe_link: "牌靴", broker: "服务器", disk: "磁盘",
    cleared_by: "解除：{who}", ended_by: "结束方式：{acts}", broker_down: "看板与服务器的连接中断。", page_lost: "此页与看板的连接中断。",
  },
};

const language = document.documentElement.lang in WORDS ? document.documentElement.lang : "en";
const words = WORDS[language];

/* A text by its key, with the values in it; an unknown key is shown as it is. */
export function say(key, values = {}) {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

/* The name of a wager in the page's language. */
export function named(names) {
  return names[{ en: "en", "zh-Hant": "zh_hant", "zh-Hans": "zh_hans" }[language]] || names.en;
}

/* Writes the texts that never change into their places. */
export function label(root = document) {
  for (const place of root.querySelectorAll("[data-say]")) place.textContent = say(place.dataset.say);
}

/* Minor units as people write them. */
export function amount(minor) {
  const whole = minor % 100 === 0;
  return (minor / 100).toLocaleString("en", { minimumFractionDigits: whole ? 0 : 2, maximumFractionDigits: 2 });
}

/* Why a hand draws or stands. */
export function reason(why) {
  return why === null ? "" : why.code ? say(why.code, why) : why.text;
}

/* When a line of a pay table fits: pairs of a word and its values, as in [["banker_cards", ["3"]]]. */
export function condition(when) {
  const cards = new Set(when.map(([word]) => word));
  const both = cards.has("player_cards") && cards.has("banker_cards");
  return when
    .map(([word, values]) => {
      if (`${word}_${values[0]}` in words) return values.map((value) => say(`${word}_${value}`)).join(say("or"));
      const key = both && word.endsWith("_cards") ? `both_${word}` : word;
      return say(key, { n: values.join(say("or")) });
    })
    .join(say("comma"));
}
