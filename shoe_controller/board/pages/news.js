/* One event stream of the board. It opens itself again whatever happens, and says when there is no news to be had. */

const SILENCE = 6000; /* milliseconds; the board says every two seconds that it is alive */
const LOOK_EVERY = 1000;

/* `tell(news, first)` gets each message, `first` where it is complete; `lost(yes)` whether the board is out of reach. */
export function listen(path, tell, lost) {
  let source, heardAt, first, pages;

  const open = () => {
    heardAt = performance.now();
    first = true;
    source = new EventSource(path);
    source.onmessage = ({ data }) => {
      heard();
      tell(JSON.parse(data), first);
      first = false;
    };
    source.addEventListener("alive", heard);
    source.addEventListener("pages", ({ data }) => {
      /* The board has other pages than this one since it was restarted. */
      if (pages !== undefined && pages !== data) location.reload();
      pages = data;
      first = true;
    });
    source.onerror = () => lost(true);
  };
  const heard = () => {
    heardAt = performance.now();
    lost(false);
  };
  const look = () => {
    if (source.readyState === EventSource.CLOSED || performance.now() - heardAt > SILENCE) {
      lost(true);
      source.close();
      open();
    }
  };
  open();
  setInterval(look, LOOK_EVERY);
}
