void rl_placeholder(void);
